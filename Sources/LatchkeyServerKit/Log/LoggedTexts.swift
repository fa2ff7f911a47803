import LatchkeyModel
package import LatchkeyWire

/// The path of a request, without its query, truncated to 128 characters.
///
/// The API's paths are constant except for IDs. Any other path is text chosen by the client, so its length is
/// limited.
package struct LoggedPath: Loggable {
    package let logged: JSONValue

    /// Wraps the path of a request without its query, which is never logged because it may identify users.
    package init(_ request: HTTP.Request) {
        logged = .string(String(request.path.prefix(128)))
    }
}

/// A location that the operator configured, such as a folder or a URL.
package struct LoggedPlace: Loggable {
    package let logged: JSONValue

    /// Wraps a location, which must not be text that comes from clients.
    package init(_ place: String) {
        logged = .string(place)
    }
}

/// The type of an unexpected error, whose description is not logged because it could contain secrets.
///
/// An error that conforms to ``Loggable`` is logged as its ``Loggable/logged`` value instead.
package struct LoggedError: Loggable {
    package let logged: JSONValue

    /// Wraps an error of any type.
    package init(_ error: any Error) {
        logged = (error as? any Loggable)?.logged ?? .string("\(type(of: error))")
    }
}
