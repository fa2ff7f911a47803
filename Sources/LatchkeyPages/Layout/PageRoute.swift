/// The hosted pages.
package enum PageRoute: String, Sendable, CaseIterable {
    case login, registration, recovery, verification, settings
    case sessions, consent, logout, error, welcome
    /// A web session that an app hands over.
    case handover = "continue"

    /// The path, relative to the server's URL.
    package var path: String { "/" + rawValue }

    /// Returns the path on a server whose API is below a base path.
    ///
    /// Without a base path, `/sessions` is a route of the API.
    package func path(besides basePath: String) -> String {
        self == .sessions && basePath.isEmpty ? "/settings/sessions" : path
    }
}
