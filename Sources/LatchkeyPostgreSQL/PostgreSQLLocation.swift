import CPostgreSQL
package import LatchkeyModel
package import LatchkeyServerKit

/// The location of a PostgreSQL database, parsed from a URL such as
/// `postgres://user:password@host:port/name?sslmode=verify-full`.
///
/// Parameters that aren't in the URL come from libpq's usual sources, such as `PGPASSWORD` and `~/.pgpass`.
package struct PostgreSQLLocation: Sendable, CustomStringConvertible {
    /// The URL with passwords removed.
    package let description: String

    /// Whether the URL contains a password or another secret.
    ///
    /// The value is `false` if the password comes only from another source, such as `PGPASSWORD`.
    package let hasPassword: Bool

    /// The hosts that libpq may connect to over TCP without verifying the server's certificate.
    ///
    /// This list is empty if the URL or libpq's environment sets `sslmode` to `verify-ca` or `verify-full`,
    /// or requires GSSAPI encryption. With `require`, the connection is encrypted, but anyone on the way can
    /// answer it. A service that the URL names counts as a host, because only libpq can read its parameters.
    package let unverifiedHosts: [String]

    /// The connection parameters for libpq, including Latchkey's defaults.
    let parameters: [(keyword: String, value: String)]

    /// The secrets in the URL, which must not appear in messages.
    private let secrets: [String]

    /// Parses a URL without contacting any of the hosts.
    ///
    /// - Throws: ``DatabaseError`` if the text is not a PostgreSQL URL. The error doesn't quote the text.
    package init(_ url: Secret) throws(DatabaseError) {
        guard Self.isLocation(url.exposed) else { throw Self.malformed }
        // We don't ask libpq for an error message, because it would quote the malformed URL.
        guard let options = PQconninfoParse(url.exposed, nil) else { throw Self.malformed }
        defer { PQconninfoFree(options) }
        var given: [(keyword: String, value: String)] = []
        var secrets: [String] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                given.append((String(cString: keyword), String(cString: value)))
                // libpq marks secret options with an asterisk.
                if option.pointee.dispchar.map({ String(cString: $0) }) == "*" {
                    secrets.append(String(cString: value))
                }
            }
            option += 1
        }
        func value(_ keyword: String) -> String? { given.first { $0.keyword == keyword }?.value }
        let unverified = Self.unverifiedHosts { keyword in value(keyword) ?? Self.defaultValue(of:)(keyword) }
        let services = Self.verifies(value("sslmode")) ? [] : [value("service")].compactMap { $0 }
        unverifiedHosts = unverified + services
        hasPassword = !secrets.isEmpty
        self.secrets = secrets.filter { !$0.isEmpty }
        parameters = given + Self.defaults.filter { value($0.keyword) == nil }
        description = Self.url(given.filter { option in !secrets.contains(option.value) })
    }

    /// Returns the hosts that libpq may connect to without verifying a certificate and without GSSAPI
    /// encryption.
    ///
    /// The `value` closure returns the value of a connection parameter.
    private static func unverifiedHosts(_ value: (String) -> String?) -> [String] {
        // Since version 16, libpq knows the system's root certificates and insists on full verification with
        // them. Older versions look for a file of that name and don't complain if it is missing.
        let usesSystemRoots = value("sslrootcert") == "system" && PQlibVersion() >= 160_000
        guard !verifies(value("sslmode")), !usesSystemRoots, value("gssencmode") != "require" else {
            return []
        }
        func list(_ keyword: String) -> [String] {
            (value(keyword) ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let (names, addresses) = (list("host"), list("hostaddr"))
        let hosts = (0..<max(names.count, addresses.count)).map { index in
            // If a host has an address, libpq connects to that address and uses the host name only for
            // authentication.
            let address = index < addresses.count ? addresses[index] : ""
            return address.isEmpty && index < names.count ? names[index] : address
        }
        // Paths and names in the abstract namespace refer to local sockets, and so does an empty name, which
        // is the default.
        return hosts.filter { !$0.isEmpty && !$0.hasPrefix("/") && !$0.hasPrefix("@") }
    }

    /// Returns whether libpq verifies the server's certificate in an SSL mode.
    private static func verifies(_ mode: String?) -> Bool {
        mode == "verify-ca" || mode == "verify-full"
    }

    /// Returns libpq's default value for an option that the URL doesn't set.
    ///
    /// The default may come from an environment variable.
    private static func defaultValue(of keyword: String) -> String? {
        guard let options = PQconndefaults() else { return nil }
        defer { PQconninfoFree(options) }
        var option = options
        while let name = option.pointee.keyword {
            if String(cString: name) == keyword { return option.pointee.val.map { String(cString: $0) } }
            option += 1
        }
        return nil
    }

    /// Returns a URL with the given parameters.
    ///
    /// If there are several hosts, they are listed in the query.
    private static func url(_ parameters: [(keyword: String, value: String)]) -> String {
        var rest = parameters
        func take(_ keyword: String) -> String? {
            guard let index = rest.firstIndex(where: { $0.keyword == keyword }) else { return nil }
            return rest.remove(at: index).value.percentEncoded
        }
        let user = take("user").map { "\($0)@" } ?? ""
        let database = take("dbname") ?? ""
        let isOneHost = !parameters.contains {
            $0.keyword == "host" && $0.value.contains { ",:".contains($0) }
        }
        let host = isOneHost ? take("host") ?? "" : ""
        let port = isOneHost ? take("port").map { ":\($0)" } ?? "" : ""
        let query = rest.map { "\($0.keyword)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return "postgres://\(user)\(host)\(port)/\(database)" + (query.isEmpty ? "" : "?\(query)")
    }

    /// Returns whether a string begins with the scheme of a PostgreSQL URL.
    ///
    /// The rest of the string isn't checked.
    package static func isLocation(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Returns a message from libpq on a single line, with all secrets replaced by `***`.
    ///
    /// Use this method for every libpq message that is logged or shown to an operator.
    package func redacting(_ message: String) -> String {
        var text = message
        for secret in secrets { text = text.replacing(secret, with: "***") }
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// The error for a string that isn't a PostgreSQL URL.
    ///
    /// The error doesn't quote the string, because it may contain a password.
    private static let malformed = DatabaseError(
        .failed,
        message: "The database address is not a URL such as postgres://user@host:5432/name."
    )

    /// The default connection parameters.
    ///
    /// With these parameters, an unreachable server is detected within a minute, or within 15 seconds if it
    /// doesn't acknowledge data that we sent.
    ///
    /// Standby servers are never used, even for reads, because they may lag behind the primary and still
    /// report a revoked session as active.
    private static let defaults: [(keyword: String, value: String)] = [
        ("fallback_application_name", "latchkey"),
        ("connect_timeout", "5"),
        ("client_encoding", "UTF8"),
        ("keepalives_idle", "30"),
        ("keepalives_interval", "10"),
        ("keepalives_count", "3"),
        ("tcp_user_timeout", "15000"),
        ("target_session_attrs", "primary"),
    ]
}

extension String {
    /// The percent-encoded text, for use in a URL.
    fileprivate var percentEncoded: String {
        var text = ""
        for byte in utf8 {
            let character = Character(Unicode.Scalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
                text.append(character)
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// Returns the text with every occurrence of a substring replaced.
    fileprivate func replacing(_ part: String, with other: String) -> String {
        var result = ""
        var rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(part) {
                result += other
                rest = rest.dropFirst(part.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result
    }
}
