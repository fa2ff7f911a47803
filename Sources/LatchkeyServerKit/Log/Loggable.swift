package import LatchkeyModel
package import LatchkeyWire

/// A value that can be logged.
///
/// `String` deliberately doesn't conform to this protocol. Log lines can only be created from types that
/// contain no secrets or redact them.
package protocol Loggable: Sendable {
    /// The value that is written to the log. The value must not contain secrets.
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
    /// The text of the literal, which is always a constant in the program.
    package var logged: JSONValue { .string(description) }
}

extension Duration: Loggable {
    /// The duration in microseconds.
    package var logged: JSONValue { .integer(wholeMicroseconds) }
}

extension Timestamp: Loggable {
    package var logged: JSONValue { .string(description) }
}

extension Identifier: Loggable {
    package var logged: JSONValue { .string(description) }
}

extension PhoneNumber: Loggable {
    /// The phone number, with everything except the last two digits redacted.
    package var logged: JSONValue { .string(description) }
}

extension EmailAddress: Loggable {
    /// The e-mail address, with its local part redacted.
    package var logged: JSONValue { .string(description) }
}

extension Secret: Loggable {
    /// A placeholder, because the actual value must never be logged.
    package var logged: JSONValue { .string(description) }
}

extension OneTimeCode: Loggable {
    /// A placeholder, because the actual value must never be logged.
    package var logged: JSONValue { .string(description) }
}

extension PeerAddress: Loggable {
    /// The IP address, without the port.
    package var logged: JSONValue { .string(address.description) }
}

extension HTTP.Method: Loggable {
    /// The name of an HTTP method if it is well-known.
    ///
    /// Any other method is replaced with a placeholder because it could be arbitrary text.
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
    /// The code and the message.
    ///
    /// The message may contain SQL, but no values.
    package var logged: JSONValue { .string(description) }
}
