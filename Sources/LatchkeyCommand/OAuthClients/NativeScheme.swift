import LatchkeyServer
import LatchkeyWire

/// The private-use scheme of a native client, which no other client has (RFC 8252, section 7.1).
enum NativeScheme {
    /// Returns a scheme that consists of the host of the server's URL in reverse order and a client id, such
    /// as `com.example.id.shop`.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the URL has no host name, or if a scheme can't
    ///   contain the id.
    static func scheme(of id: String, at url: String) throws(CommandFailure) -> String {
        guard let address = WebAddress(url) else {
            throw CommandFailure(.usage, message: "the server's URL is not valid: \(url)")
        }
        let isIPv6 = address.authority.hasPrefix("[")
        let host = isIPv6 ? "" : String(address.authority.prefix { $0 != ":" })
        let labels = host.split(separator: ".")
        let isName = labels.last?.contains { !("0"..."9").contains($0) } ?? false
        guard isName || address.isLoopback else {
            throw CommandFailure(
                .usage,
                message: "--native needs a host name in the server's URL, which is \(url)",
                hint: "pass --issuer, or use --redirect-uris instead of --native"
            )
        }
        let reversed = isName ? labels.reversed().joined(separator: ".") : "localhost"
        let scheme = "\(reversed).\(id.lowercased())"
        let isScheme = scheme.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
        }
        guard isScheme, scheme.utf8.first.map({ (0x61...0x7A).contains($0) }) == true else {
            throw CommandFailure(
                .usage,
                message: "a scheme cannot contain the id \(id)",
                hint: "choose an --id of letters, digits, dots and hyphens, or use --redirect-uris"
            )
        }
        return scheme
    }

    /// Returns the URL of the server that a command works on.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the configuration is invalid, or if the command
    ///   works on a remote server whose URL isn't known.
    static func serverURL(for arguments: Arguments, console: Console) throws(CommandFailure) -> String {
        if let url = arguments["issuer"] { return url }
        let configuration = try ConfigurationOptions.load(from: arguments, console: console)
        if let url = configuration.url { return url }
        let remote = arguments["admin-url"] ?? console.environment["LATCHKEY_ADMIN_URL"]
        guard remote == nil else {
            throw CommandFailure(
                .usage,
                message: "--native needs the public URL of the server",
                hint: "pass --issuer, such as --issuer https://id.example.com"
            )
        }
        return "http://localhost:\(configuration.port)"
    }
}
