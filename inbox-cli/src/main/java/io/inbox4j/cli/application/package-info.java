/** The interface through which a service passes its inbox to the command line. */
@NullMarked
package io.inbox4j.cli.application;

import org.jspecify.annotations.NullMarked;
