/** From a delivery to a row: the checks at the door, and the quarantine for what fails them. */
@NullMarked
package io.inbox4j.receive;

import org.jspecify.annotations.NullMarked;
