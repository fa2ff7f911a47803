import LatchkeyModel
package import LatchkeyWire

/// The path of a request without its query, truncated to 128 characters.
///
/// The paths of the API's routes are constant, apart from the ids in them. All other paths are chosen by the
/// client, so we limit their length.
package struct LoggedPath: Loggable {
    package let logged: JSONValue

    /// Makes the path of a request loggable.
    ///
    /// The query is never logged because it may identify a user.
    package init(_ request: HTTP.Request) {
        logged = .string(String(request.path.prefix(128)))
    }
}

/// A location that was configured by the operator, such as a folder or URL.
package struct LoggedPlace: Loggable {
    package let logged: JSONValue

    /// Creates a value for the log from a location.
    ///
    /// Don't pass text that comes from a client.
    package init(_ place: String) {
        logged = .string(place)
    }
}

/// The type of an unexpected error.
///
/// The error's description isn't logged, because it could contain secrets.
///
/// If an error conforms to ``Loggable``, its ``Loggable/logged`` value is logged instead.
package struct LoggedError: Loggable {
    package let logged: JSONValue

    /// Makes any error loggable.
    package init(_ error: any Error) {
        logged = (error as? any Loggable)?.logged ?? .string("\(type(of: error))")
    }
}
