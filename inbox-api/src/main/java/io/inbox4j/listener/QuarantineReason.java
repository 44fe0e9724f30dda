package io.inbox4j.listener;

import java.util.Locale;

/** Why a delivery could not be stored as an event. */
public enum QuarantineReason {
  /** Neither the properties nor the body carry a message id. */
  MISSING_ID,
  /** The message id is blank, too long, damaged or no text. */
  BAD_ID,
  /** The properties and the body carry different message ids. */
  ID_MISMATCH,
  /** A message with this id is stored already, with another body or type. */
  ID_CONFLICT,
  /** The endpoint knows several event types, and the message names none. */
  MISSING_TYPE,
  /** The endpoint does not know the event type; comes back by itself once a process does. */
  UNKNOWN_TYPE,
  /** The body is of a content type that no format of this inbox reads. */
  CONTENT_TYPE,
  /** The body is compressed or encoded. */
  CONTENT_ENCODING,
  /** The body's character set is not UTF-8. */
  CHARSET,
  /** There is no body. */
  EMPTY_BODY,
  /** The body has more bytes than the endpoint accepts. */
  BODY_TOO_LARGE,
  /** The headers have more bytes than the endpoint accepts. */
  HEADERS_TOO_LARGE,
  /** The body is not valid UTF-8. */
  NOT_UTF8,
  /** The body is not valid JSON. */
  INVALID_JSON,
  /** The JSON is nested too deeply, or has a number that is too long. */
  JSON_LIMIT,
  /** The JSON is not an object. */
  NOT_AN_OBJECT,
  /**
   * A header or the body cannot be read, or the body does not fit its event class, which the
   * ordering key is read from.
   */
  UNREADABLE,
  /** The time before which it is not to be handled is no time. */
  BAD_TIME,
  /** The ordering key is too long. */
  BAD_ORDERING_KEY,
  /** The database refused the message as it is. */
  UNSTORABLE;

  /** The name in the table and in messages: {@code unknown-type}. */
  public String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The reason of this code. */
  public static QuarantineReason ofCode(String code) {
    return valueOf(code.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
