package import LatchkeyModel
import LatchkeyServerKit

extension AdminTokens {
    /// Creates the admin tokens when the server starts.
    ///
    /// If no token is configured, the derived token is written to a file in the data folder. Otherwise, that
    /// file is deleted. This initializer acquires the folder's lock while it changes the file, so it waits
    /// if another process holds the lock.
    ///
    /// - Parameters:
    ///   - configuration: The server's configuration.
    ///   - secrets: The server's secrets. If no token is configured, one is derived from these secrets.
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
    /// Returns the token for the admin listener at the given URL.
    ///
    /// If the data folder was not configured explicitly, the token in the default folder is returned only for
    /// URLs on this machine. A server on another machine has its own data folder.
    ///
    /// - Parameter url: The URL of the admin listener.
    /// - Returns: The configured token or the token in the data folder. Returns `nil` if there is no token or
    ///   if it must not be sent to the URL.
    /// - Throws: ``DataFolderError`` if the file cannot be read.
    package func adminToken(for url: String) throws(DataFolderError) -> Secret? {
        if let token = admin.token { return token }
        guard !data.isEmpty, sources["data"] != nil || Self.isLoopback(url) else { return nil }
        return try AdminTokenFile(data: data).token()
    }

    /// Returns whether the host of a URL is a loopback address.
    private static func isLoopback(_ url: String) -> Bool {
        guard let origin = OutgoingAddress(url)?.origin else { return false }
        return Loopback.contains(authority: String(origin.split(separator: "/").last ?? ""))
    }
}
