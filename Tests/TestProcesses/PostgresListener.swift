import Foundation

/// A separate PostgreSQL server that listens on the loopback interface with TLS.
///
/// The server's certificate is only valid for `localhost`.
package struct PostgresListener: Sendable {
    /// The cluster that runs the server.
    package let cluster: PostgresCluster

    /// The path of the server's self-signed certificate.
    package let certificate: String

    private let port: Int

    /// Creates a new cluster and starts it.
    ///
    /// - Throws: ``PostgresCluster/Failure`` if the server does not start.
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

    /// Returns the URL of the server's database.
    ///
    /// - Parameters:
    ///   - host: The host name to use in the URL.
    ///   - root: The path of the root certificate to trust.
    /// - Returns: The URL, which requires TLS.
    package func url(host: String = "localhost", root: String) -> String {
        "postgres://\(PostgresCluster.user)@\(host):\(port)/postgres?sslmode=verify-full&sslrootcert="
            + root.replacingOccurrences(of: "/", with: "%2F")
    }
}
