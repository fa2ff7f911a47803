import LatchkeyServerKit

/// Decides which audience a signed purchase history may have.
///
/// Histories are signed with the same keys as access tokens, so a caller must not be able to choose an audience
/// that an API accepts.
struct HistoryAudience: Sendable {
    /// The maximum length of an app's id, in bytes.
    private static let byteLimit = 128

    /// The ids of the apps, or an empty list if any app's id is accepted.
    let listed: [String]
    /// The audiences of access tokens.
    let reserved: [String]

    /// Returns the audience for the requested app.
    ///
    /// If no apps are listed, the id must not contain a colon or a slash, so that it can't be a URL or a URN.
    ///
    /// - Throws: ``ServerError`` with status 400 if the app isn't accepted.
    func audience(for app: String?) throws(ServerError) -> String {
        guard
            let app, (1...Self.byteLimit).contains(app.utf8.count),
            app.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw .malformed(
                "The query parameter app must have 1 to \(Self.byteLimit) visible ASCII characters."
            )
        }
        guard !reserved.contains(app) else {
            throw .malformed("The query parameter app must not be the audience of access tokens.")
        }
        guard listed.isEmpty else {
            guard listed.contains(app) else {
                throw .malformed("The query parameter app must be one of the apps in commerce.apps.")
            }
            return app
        }
        guard !app.utf8.contains(UInt8(ascii: ":")), !app.utf8.contains(UInt8(ascii: "/")) else {
            throw .malformed(
                "The query parameter app must be the app's id, without a colon or a slash. To use other ids, list them in commerce.apps."
            )
        }
        return app
    }
}
