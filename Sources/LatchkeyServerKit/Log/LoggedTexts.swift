import LatchkeyModel
package import LatchkeyWire

/// The path of a request, without its query, truncated to 128 characters.
///
/// The paths of the API are constant except for IDs; any other path is the client's text, hence the limit.
package struct LoggedPath: Loggable {
    package let logged: JSONValue

    /// Wraps the path of a request; the query may contain identifiers of users and is never logged.
    package init(_ request: HTTP.Request) {
        logged = .string(String(request.path.prefix(128)))
    }
}

/// A location that the operator configured: a folder, a URL.
package struct LoggedPlace: Loggable {
    package let logged: JSONValue

    /// Wraps a location; texts of clients must not be wrapped.
    package init(_ place: String) {
        logged = .string(place)
    }
}

/// An unexpected error: its type only, because its description could contain secrets.
///
/// An error that is ``Loggable`` is logged in its own form.
package struct LoggedError: Loggable {
    package let logged: JSONValue

    /// Wraps an error of any type.
    package init(_ error: any Error) {
        logged = (error as? any Loggable)?.logged ?? .string("\(type(of: error))")
    }
}
