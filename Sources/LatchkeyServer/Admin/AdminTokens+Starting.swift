package import LatchkeyModel
import LatchkeyServerCore

extension AdminTokens {
    /// The tokens of a server that starts; a derived one is written to the data folder.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - secrets: The server's secrets.
    /// - Throws: ``IdentityServerError`` or ``DataFolderError``.
    init(starting configuration: ServerConfiguration, _ secrets: ServerSecrets) async throws {
        let tokens = try configuration.admin.token.map { try AdminTokens(configured: $0) }
        self = tokens ?? AdminTokens(secrets)
        let derived = tokens == nil ? current : nil
        try await ServerStores.onOwnThread {
            let folder = try DataFolder(configuration.data)
            let file = AdminTokenFile(in: folder)
            try folder.exclusively {
                if let derived { try file.store(derived) } else { try file.remove() }
            }
        }
    }
}

extension ServerConfiguration {
    /// The token for requests to the admin listener at an address.
    ///
    /// A token from the data folder goes to this machine only, unless the folder was named: the default folder may belong
    /// to another server than the one at the address.
    ///
    /// - Parameter url: The address.
    /// - Returns: The configured token or the one in the data folder; `nil` if there is neither.
    /// - Throws: ``DataFolderError`` if the file cannot be read.
    package func adminToken(for url: String) throws(DataFolderError) -> Secret? {
        if let token = admin.token { return token }
        guard sources["data"] != nil || Self.isLoopback(url) else { return nil }
        return try AdminTokenFile(data: data).token()
    }

    private static func isLoopback(_ url: String) -> Bool {
        guard let origin = OutgoingAddress(url)?.origin else { return false }
        return Loopback.contains(authority: String(origin.split(separator: "/").last ?? ""))
    }
}
