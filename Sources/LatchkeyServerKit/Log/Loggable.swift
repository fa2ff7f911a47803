package import LatchkeyModel
package import LatchkeyWire

/// A value that can be logged.
///
/// `String` deliberately does not conform: log lines can be created only from types that contain no secrets
/// or redact them.
package protocol Loggable: Sendable {
    /// The value as it appears in the log, without secrets.
    var logged: JSONValue { get }
}

extension Int: Loggable {
    package var logged: JSONValue { .integer(Int64(self)) }
}

extension Int64: Loggable {
    package var logged: JSONValue { .integer(self) }
}

extension Bool: Loggable {
    package var logged: JSONValue { .bool(self) }
}

extension StaticString: Loggable {
    /// The text of the literal, which is a constant in the program.
    package var logged: JSONValue { .string(description) }
}

extension Duration: Loggable {
    /// The duration, logged as a number of microseconds.
    package var logged: JSONValue { .integer(wholeMicroseconds) }
}

extension Timestamp: Loggable {
    package var logged: JSONValue { .string(description) }
}

extension Identifier: Loggable {
    package var logged: JSONValue { .string(description) }
}

extension PhoneNumber: Loggable {
    /// The number with all but its last two digits redacted.
    package var logged: JSONValue { .string(description) }
}

extension EmailAddress: Loggable {
    /// The address with its local part redacted.
    package var logged: JSONValue { .string(description) }
}

extension Secret: Loggable {
    /// A placeholder for the actual value, which is never logged.
    package var logged: JSONValue { .string(description) }
}

extension OneTimeCode: Loggable {
    /// A placeholder for the actual value, which is never logged.
    package var logged: JSONValue { .string(description) }
}

extension PeerAddress: Loggable {
    /// The host of the address, logged without the port.
    package var logged: JSONValue { .string(host) }
}

extension HTTP.Method: Loggable {
    /// The name of a known method, or a placeholder for any other method, which could be arbitrary text.
    package var logged: JSONValue {
        let known: [HTTP.Method] = [
            .get, .head, .post, .put, .patch, .delete, HTTP.Method(rawValue: "OPTIONS"),
        ]
        return .string(known.contains(self) ? rawValue : "‹other›")
    }
}

extension LogLevel: Loggable {
    package var logged: JSONValue { .string(rawValue) }
}

extension DatabaseError: Loggable {
    /// The code and the message, which contain SQL but no values.
    package var logged: JSONValue { .string(description) }
}
