package import LatchkeyModel
import LatchkeyServerKit

extension AdminTokens {
    /// Creates the admin tokens when the server starts, and writes a derived token to the data folder.
    ///
    /// If a token is configured, the file that contains the derived token is deleted.
    ///
    /// The call locks the folder while it changes the file, so it waits for other processes that hold the
    /// lock.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - secrets: The server's secrets, from which a token is derived if none is configured.
    /// - Throws: ``IdentityServerError`` if the configured token is too short, or ``DataFolderError`` if the
    ///   file cannot be written.
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
    /// Returns the token for the admin listener at a URL.
    ///
    /// Unless the data folder was configured explicitly, a token from the folder is returned only for a URL
    /// on this machine, because the default folder may belong to a different server than the one at the URL.
    ///
    /// - Parameter url: The URL of the admin listener.
    /// - Returns: The configured token or the one in the data folder; `nil` if there is neither, or if the
    ///   token must not be sent to the URL.
    /// - Throws: ``DataFolderError`` if the file cannot be read.
    package func adminToken(for url: String) throws(DataFolderError) -> Secret? {
        if let token = admin.token { return token }
        guard sources["data"] != nil || Self.isLoopback(url) else { return nil }
        return try AdminTokenFile(data: data).token()
    }

    /// Returns whether a URL has a loopback address as its host.
    private static func isLoopback(_ url: String) -> Bool {
        guard let origin = OutgoingAddress(url)?.origin else { return false }
        return Loopback.contains(authority: String(origin.split(separator: "/").last ?? ""))
    }
}
