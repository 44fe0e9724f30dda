/** Integration events: the contract between services, their type names and their ids. */
@NullMarked
package io.inbox4j.event;

import org.jspecify.annotations.NullMarked;
