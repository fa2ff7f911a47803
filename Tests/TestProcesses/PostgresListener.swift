import Foundation

/// A PostgreSQL server of our own that listens on loopback, with TLS and a certificate for `localhost` alone.
package struct PostgresListener: Sendable {
    /// The server.
    package let cluster: PostgresCluster

    /// Its certificate, which signs itself, as a file.
    package let certificate: String

    private let port: Int

    /// Makes a new cluster and starts it.
    ///
    /// - Throws: ``PostgresCluster/Failure`` when it does not come up.
    package init() async throws {
        let folder = try await PostgresCluster.makeCluster()
        let (certificate, key) = ("\(folder)/tls.pem", "\(folder)/tls.key")
        try await PostgresCluster.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key,
            "-out", certificate,
        ])
        self.certificate = certificate
        while true {
            let port = Int.random(in: 20_000..<32_000)
            let settings = [
                "listen_addresses=127.0.0.1", "port=\(port)", "ssl=on", "ssl_cert_file=\(certificate)",
                "ssl_key_file=\(key)",
            ]
            do {
                cluster = try await PostgresCluster(folder: folder, settings: settings)
                self.port = port
                return
            } catch let failure as PostgresCluster.Failure where failure.text.contains("already in use") {}
        }
    }

    /// The address of its database.
    ///
    /// - Parameters:
    ///   - host: What a client calls it.
    ///   - root: Whose certificates a client believes, as a file.
    /// - Returns: The address, which asks for TLS.
    package func url(host: String = "localhost", root: String) -> String {
        "postgres://\(PostgresCluster.user)@\(host):\(port)/postgres?sslmode=verify-full&sslrootcert="
            + root.replacingOccurrences(of: "/", with: "%2F")
    }
}
