import LatchkeyServerKit

/// Decides which audience a signed purchase history may have.
///
/// Histories are signed with the same keys as access tokens, so a caller must not be able to choose an audience
/// that an API accepts.
package struct HistoryAudience: Sendable {
    /// The maximum length of an app's id, in bytes.
    private static let byteLimit = 128

    /// The ids of the apps, or an empty list if any app's id is accepted.
    let listed: [String]
    /// The audiences of access tokens.
    let reserved: [String]

    /// Returns why an app's id can never be an audience, as the rest of a sentence, or `nil` if it can.
    ///
    /// - Parameters:
    ///   - app: The app's id.
    ///   - reserved: The audiences of access tokens.
    /// - Returns: The reason, which begins with "must".
    package static func flaw(of app: String, reserved: [String]) -> String? {
        guard (1...byteLimit).contains(app.utf8.count), app.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return "must have 1 to \(byteLimit) visible ASCII characters" }
        return reserved.contains(app) ? "must not be the audience of access tokens" : nil
    }

    /// Returns the audience for the requested app.
    ///
    /// If no apps are listed, the id must not contain a colon or a slash, so that it can't be a URL or a URN.
    ///
    /// - Throws: ``ServerError`` with status 400 if the app isn't accepted.
    func audience(for app: String?) throws(ServerError) -> String {
        let app = app ?? ""
        if let flaw = Self.flaw(of: app, reserved: reserved) {
            throw .malformed("The query parameter app \(flaw).")
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
