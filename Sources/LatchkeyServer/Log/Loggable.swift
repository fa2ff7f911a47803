package import LatchkeyModel
package import LatchkeyServerCore
package import LatchkeyWire

/// A value that may stand in a log.
///
/// Free text does not conform, on purpose: a log line can only be made from types that hold no secret or that
/// hide it themselves.
package protocol Loggable: Sendable {
    /// The value as it stands in the log.
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
    package var logged: JSONValue { .string(description) }
}

extension Duration: Loggable {
    /// Microseconds.
    package var logged: JSONValue { .integer(wholeMicroseconds) }
}

extension Timestamp: Loggable {
    package var logged: JSONValue { .string(description) }
}

extension Identifier: Loggable {
    package var logged: JSONValue { .string(description) }
}

extension PhoneNumber: Loggable {
    /// The last two digits.
    package var logged: JSONValue { .string(description) }
}

extension EmailAddress: Loggable {
    /// The domain.
    package var logged: JSONValue { .string(description) }
}

extension Secret: Loggable {
    /// A mark.
    package var logged: JSONValue { .string(description) }
}

extension OneTimeCode: Loggable {
    /// A mark.
    package var logged: JSONValue { .string(description) }
}

extension PeerAddress: Loggable {
    /// The address without the port.
    package var logged: JSONValue { .string(host) }
}

extension HTTPMethod: Loggable {
    /// The name; a mark for one that nobody knows, which could be anything.
    package var logged: JSONValue {
        let known: [HTTPMethod] = [
            .get, .head, .post, .put, .patch, .delete, HTTPMethod(rawValue: "OPTIONS"),
        ]
        return .string(known.contains(self) ? rawValue : "‹other›")
    }
}

extension LogLevel: Loggable {
    package var logged: JSONValue { .string(rawValue) }
}

extension DatabaseError: Loggable {
    /// The code and the message, which hold SQL and no values.
    package var logged: JSONValue { .string(description) }
}
