import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyPostgreSQL
import LatchkeyServerKit
import LatchkeyWire

extension ServerConfiguration {
    /// Warnings about settings that are valid but unsafe.
    ///
    /// The server logs these warnings when it starts. File permissions are checked each time this property is
    /// read.
    package var warnings: [ConfigurationError.Problem] {
        var warnings = secretFiles.sorted { $0.key < $1.key }.compactMap { path, key in
            PrivateFile(path).isOpenToOthers
                ? ConfigurationError.Problem(
                    key: key,
                    source: path,
                    message: "every user of this machine can read this secret; run: chmod 600 \(path)"
                ) : nil
        }
        func warn(about key: String, _ message: String) {
            let source = sources[key]?.description ?? "default"
            warnings.append(ConfigurationError.Problem(key: key, source: source, message: message))
        }
        if isPublic, let key = courier.developmentKey {
            warn(
                about: key,
                "the development courier prints codes on the terminal, and other machines can reach this server"
            )
        }
        if isPublic, courier.kind == .http, courier.callingCodes.isEmpty {
            warn(
                about: "courier.calling_codes",
                "strangers can have text messages sent to any country at your expense; list the calling codes of your users"
            )
        }
        let hosts = database.flatMap { try? PostgreSQLLocation($0) }?.unverifiedHosts ?? []
        if let host = hosts.first(where: { !Loopback.contains($0) }) {
            warn(
                about: "database",
                "the certificate of \(host) is not verified, so another machine can answer in its place; add sslmode=verify-full to the URL"
            )
        }
        if isPublic, clients.allowsHTTPRedirects {
            warn(
                about: "oauth.allow_http_redirects",
                "codes and tokens of clients are sent over the network unencrypted; use it for development only"
            )
        }
        for range in trustedProxies where AddressRange(range)?.coversTheInternet == true {
            warn(
                about: "trusted_proxies",
                "\(range) lets clients forge the address that rate limits are based on"
            )
        }
        for key in courier.plainProviders.keys.sorted() {
            warn(about: key, "codes are sent to another machine unencrypted; use an https URL")
        }
        if courier.mailKind == .smtp, courier.mail.startTLS == .never,
            let server = courier.mail.url.flatMap({ MailServerAddress($0) }), !server.isImplicit,
            !Loopback.contains(server.host)
        {
            warn(
                about: "courier.mail.starttls",
                "with “never”, codes are sent to another machine unencrypted; use “required”"
            )
        }
        return warnings
    }

    /// Whether clients on other machines can reach the server.
    ///
    /// This is `true` if the listen address is not a loopback address, or if the public URL has a host that
    /// isn't a loopback address, such as the host of a reverse proxy.
    var isPublic: Bool {
        guard Loopback.contains(host) else { return true }
        guard let url else { return false }
        return WebAddress(url)?.isLoopback != true
    }
}

extension CourierSettings {
    /// The key of the setting that selects the development courier, or `nil` if another courier is used.
    var developmentKey: String? {
        if kind == .development { return "courier.kind" }
        return mailKind == .development ? "courier.mail.kind" : nil
    }

    /// The settings whose value is the URL of a remote provider that uses unencrypted HTTP.
    ///
    /// The keys are the names of the settings. A value is `true` if header fields are configured for the
    /// provider. Header fields may contain an API key.
    var plainProviders: [String: Bool] {
        var found: [String: Bool] = [:]
        if kind == .http, Self.isPlain(url) { found["courier.url"] = !headers.isEmpty }
        if mailKind == .http, Self.isPlain(mail.url) { found["courier.mail.url"] = !mail.headers.isEmpty }
        return found
    }

    /// Returns whether a URL uses `http` and its host is another machine.
    private static func isPlain(_ url: String?) -> Bool {
        guard let url, let address = OutgoingAddress(url) else { return false }
        return address.origin.lowercased().hasPrefix("http://") && !Loopback.contains(address.host)
    }
}
