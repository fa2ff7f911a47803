import LatchkeyAccounts
import LatchkeyOAuth
import LatchkeyServerKit
import LatchkeyWire

extension FuzzTarget {
    /// The metadata of OAuth clients and their credentials in requests.
    static let clients = FuzzTarget(
        name: "clients",
        summary: "registrations of OAuth clients, redirect URIs, and Basic credentials",
        words: [
            "redirect_uris", "latchkey", "https://", "http://127.0.0.1:", "http://[::1]", "com.example.app:/",
            "scope", "metadata", "grant_types", "required_fields", "Basic ", "1h30m", "%2e%2e", "%3A",
        ]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        try checkMetadata(bytes)
        try checkRedirect(text)
        try checkCredentials(text)
        if let duration = Duration(goText: text) {
            try expect(Duration(goText: duration.goText) == duration, "a duration keeps its value")
        }
    }

    private static func checkMetadata(_ bytes: [UInt8]) throws {
        let rules = ClientRules(schemas: ["person"])
        guard let json = try? JSONParser.parse(bytes),
            let metadata = try? ClientMetadata(json, rules: rules)
        else { return }
        let again = try ClientMetadata(.object(metadata.document), rules: rules)
        try expect(again.document == metadata.document, "normalized metadata doesn't change any more")
        let stored = try ClientMetadata(.object(metadata.document), rules: nil)
        try expect(stored.redirectURIs == metadata.redirectURIs, "stored redirect URIs can be read")
    }

    private static func checkRedirect(_ text: String) throws {
        guard let uri = try? RedirectURI(text, by: RedirectURI.Rules()) else { return }
        try expect(uri.matches(text), "a redirect URI matches itself")
        try expect(!uri.matches(text + "x") && !uri.matches("x" + text), "it matches no other one")
        let scheme = text.prefix { $0 != ":" }.lowercased()
        try expect(["http", "https"].contains(scheme) || scheme.contains("."), "its scheme has a dot")
        guard uri.kind == .loopback else { return }
        try expect(WebAddress(text)?.isLoopback == true, "a loopback redirect stays on this machine")
    }

    private static func checkCredentials(_ text: String) throws {
        let headers: HTTP.Headers = ["Authorization": text]
        guard let found = try? ClientCredentials(headers: headers, clientID: nil, secret: nil) else { return }
        try expect(found.method == .basic && !found.clientID.isEmpty, "the header contains a client id")
    }
}
