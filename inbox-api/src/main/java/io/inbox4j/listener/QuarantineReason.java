package io.inbox4j.listener;

import java.util.Locale;

/** Why a delivery could not be stored as an event. */
public enum QuarantineReason {
  /** Neither the properties nor the body carry a message id. */
  MISSING_ID,
  /** The message id is blank, too long, damaged or not text. */
  BAD_ID,
  /** The properties and the body carry different message ids. */
  ID_MISMATCH,
  /** A message with this id is already stored, with a different body or type. */
  ID_CONFLICT,
  /** The endpoint knows several event types, and the message names none. */
  MISSING_TYPE,
  /** The endpoint does not know the event type; replayed automatically once a process does. */
  UNKNOWN_TYPE,
  /** The body has a content type that no format of this inbox can read. */
  CONTENT_TYPE,
  /** The body is compressed or encoded. */
  CONTENT_ENCODING,
  /** The body's character set is not UTF-8. */
  CHARSET,
  /** The body is empty. */
  EMPTY_BODY,
  /** The body is larger than the endpoint accepts. */
  BODY_TOO_LARGE,
  /** The headers are larger than the endpoint accepts. */
  HEADERS_TOO_LARGE,
  /** The body is not valid UTF-8. */
  NOT_UTF8,
  /** The body is not valid JSON. */
  INVALID_JSON,
  /** The JSON is nested too deeply, or contains a number that is too long. */
  JSON_LIMIT,
  /** The JSON is not an object. */
  NOT_AN_OBJECT,
  /**
   * A header or the body cannot be read, or the body does not fit its event class, from which the
   * ordering key is read.
   */
  UNREADABLE,
  /** The time before which the message must not be handled is not a valid time. */
  BAD_TIME,
  /** The ordering key is too long. */
  BAD_ORDERING_KEY,
  /** The database rejected the message. */
  UNSTORABLE;

  /** The name in the table and in texts, for example {@code unknown-type}. */
  public String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The reason with this code. */
  public static QuarantineReason ofCode(String code) {
    return valueOf(code.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
