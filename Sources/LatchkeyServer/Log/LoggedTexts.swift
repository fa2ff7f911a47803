import LatchkeyModel
package import LatchkeyWire

/// The path of a request, without its query.
///
/// Every path of the contract is known beforehand, and what varies in one are ids; a path that is none of them could
/// hold anything and is cut short.
package struct LoggedPath: Loggable {
    package let logged: JSONValue

    package init(_ request: HTTPRequest) {
        logged = .string(String(request.path.prefix(128)))
    }
}

/// A place that the operator chose: a folder, a listening address.
package struct LoggedPlace: Loggable {
    package let logged: JSONValue

    package init(_ place: String) {
        logged = .string(place)
    }
}

extension ConfigurationError.Problem: Loggable {
    /// The key, the source and the message, which quotes no secret.
    package var logged: JSONValue { .string(description) }
}

/// An error that nobody foresaw: its type, and nothing that it says.
package struct LoggedError: Loggable {
    package let logged: JSONValue

    package init(_ error: any Error) {
        logged = (error as? any Loggable)?.logged ?? .string("\(type(of: error))")
    }
}
