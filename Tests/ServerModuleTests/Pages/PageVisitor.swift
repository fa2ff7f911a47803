import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeySelfService

/// A user of a browser without scripts, who follows redirections and submits the form of the page.
final class PageVisitor: Sendable {
    let browser: TestBrowser
    private let shown = Locked<(address: String, answer: Answer)?>(nil)

    init(_ server: SelfServiceServer) {
        browser = TestBrowser(server)
    }

    /// The response with the page that is shown, or the redirection to another site.
    var response: HTTP.Response { shown.withLock { $0?.answer.response ?? HTTP.Response(0) } }

    var text: String { String(decoding: response.body, as: UTF8.self) }

    /// The address of another site that the browser was sent to.
    var location: String? { response.headers["Location"] }

    /// The path of the page.
    var path: String {
        let address = shown.withLock { $0?.address ?? "" }.dropFirst(SelfServiceServer.url.count)
        return String(address.prefix { $0 != "?" })
    }

    var title: String {
        text.firstMatch(of: #/<title>(.*?)</title>/#).map { Self.decoded($0.output.1) } ?? ""
    }

    /// The value of an input, or `nil` if the page doesn't have it.
    func field(_ name: String) -> String? { inputs[name] }

    private var inputs: [String: String] {
        var inputs: [String: String] = [:]
        for input in text.matches(of: #/<input([^>]*)>/#).map(\.output.1) {
            guard let name = Self.attribute("name", of: input) else { continue }
            inputs[name] = inputs[name] ?? Self.attribute("value", of: input) ?? ""
        }
        return inputs
    }

    /// Opens a path of the server, or an address.
    func open(_ address: String) async throws {
        let address = address.hasPrefix("/") ? SelfServiceServer.url + address : address
        try await follow(await browser.get(address), from: address)
    }

    /// Submits the form of the page with its own values and the given ones.
    func submit(_ values: [String: String]) async throws {
        let form = try #require(text.firstMatch(of: #/<form([^>]*)>/#)?.output.1, "\(text)")
        let action = try #require(Self.attribute("action", of: form))
        let all = inputs.filter { !$0.value.isEmpty }.merging(values) { $1 }
        try await follow(try await browser.post(action, all), from: action)
    }

    /// Logs in with a password on the page for it.
    func logIn(_ number: Int = 1) async throws {
        try await open("/login")
        try await submit([
            "identifier": "person\(number)@example.org", "password": SelfServiceServer.password,
            "method": "password",
        ])
    }

    private func follow(_ answer: Answer, from address: String) async throws {
        var (answer, address) = (answer, address)
        for _ in 0..<6 {
            guard answer.status == 303, let next = answer.location,
                next.hasPrefix(SelfServiceServer.url + "/")
            else { break }
            address = next
            answer = await browser.get(next)
        }
        shown.withLock { [address, answer] in $0 = (address, answer) }
    }

    private static func attribute(_ name: String, of tag: Substring) -> String? {
        guard let start = tag.firstRange(of: " \(name)=\"") else { return nil }
        return decoded(tag[start.upperBound...].prefix { $0 != "\"" })
    }

    private static func decoded(_ text: Substring) -> String {
        String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
