/// The paths of the admin API for terms, relative to the root of the admin listener.
package enum TermsAdminRoute {
    /// Publishes documents, versions and texts (`POST`).
    package static let publications = "/admin/terms/publications"
    /// Lists the published documents with their versions.
    package static let documents = "/admin/terms/documents"
    /// Exports the answers of an account, which the parameter `identity` names.
    package static let evidence = "/admin/terms/evidence"
    /// Returns the public keys for the signatures of exported answers.
    package static let keys = "/admin/terms/keys"
    /// Returns how many accounts have answered each document.
    package static let status = "/admin/terms/status"
    /// Returns a version with the words of one of its texts.
    package static let version = version("{}", of: "{}")

    /// Returns the path of a version, whose document must be a valid key.
    package static func version(_ number: String, of document: String) -> String {
        "\(documents)/\(document)/versions/\(number)"
    }
}
