import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Writes and reads the addresses in mails, and the cookie of a browser that has opened them.
///
/// Both are authenticated, so that only those who have the mail can open its flow.
struct MailedLinks: Sendable {
    /// The number of links that a browser keeps.
    private static let limit = 3
    private static let codeBytes = 16

    private let keys: [HMACKey]
    private let urls: ServerURLs

    init(_ environment: ServerEnvironment) {
        keys = environment.secrets.keys(for: .mailedLink).map(\.key)
        urls = environment.urls
    }

    // MARK: Addresses

    /// Returns the address at which a browser continues with a flow.
    func address(of kind: FlowKind, flow: Identifier, code: OneTimeCode) -> String {
        let proof = Base64URL.encode(proof(of: [flow], code, key: keys[0]))
        return "\(urls.selfService)\(kind.path)?flow=\(flow)&code=\(code.exposed)&proof=\(proof)"
    }

    /// Returns whether an address with the given query was mailed by this server.
    func isAuthentic(_ query: QueryItems, flow: Identifier, code: OneTimeCode) -> Bool {
        isAuthentic(query["proof"] ?? "", of: [flow], code)
    }

    // MARK: Cookie

    /// Reads the links in the value of a cookie, the latest first.
    func links(in value: String) -> [BrowserLink] {
        value.utf8.split(separator: UInt8(ascii: "~")).prefix(Self.limit).compactMap { text in
            let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 4, let page = Identifier(parts[0]), let flow = Identifier(parts[1]),
                let code = OneTimeCode(parts[2]), isAuthentic(parts[3], of: [page, flow], code)
            else { return nil }
            return BrowserLink(page: page, flow: flow, code: code)
        }
    }

    /// Returns the value of the cookie with another link.
    func value(_ links: [BrowserLink], adding link: BrowserLink) -> Secret {
        let all = [link] + links.filter { $0.page != link.page && $0.flow != link.flow }
        let texts = all.prefix(Self.limit).map { link in
            let proof = Base64URL.encode(proof(of: [link.page, link.flow], link.code, key: keys[0]))
            return "\(link.page).\(link.flow).\(link.code.exposed).\(proof)"
        }
        return Secret(texts.joined(separator: "~"))
    }

    // MARK: Proofs

    private func proof(of ids: [Identifier], _ code: OneTimeCode, key: HMACKey) -> [UInt8] {
        Array(key.authenticate(ids.flatMap(\.bytes) + Array(code.exposed.utf8)).prefix(Self.codeBytes))
    }

    private func isAuthentic(_ text: String, of ids: [Identifier], _ code: OneTimeCode) -> Bool {
        guard let given = Base64URL.decode(text) else { return false }
        return keys.contains { ConstantTime.equal(given, proof(of: ids, code, key: $0)) }
    }
}
