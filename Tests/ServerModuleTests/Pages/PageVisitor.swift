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

    /// Creates a new tab of another visitor's browser.
    init(sharing other: PageVisitor) {
        browser = other.browser
    }

    /// Creates a visitor that shows the same page, and has the same cookies, as another one.
    ///
    /// Both share one browser, unless the copy is connected to another server.
    init(copying other: PageVisitor, to server: SelfServiceServer? = nil) {
        browser = server.map { TestBrowser($0, cookies: other.browser.cookies) } ?? other.browser
        let page = other.shown.withLock { $0 }
        shown.withLock { $0 = page }
    }

    /// The response with the page that is shown, or the redirection to another site.
    var response: HTTP.Response { shown.withLock { $0?.answer.response ?? HTTP.Response(0) } }

    /// The response and the beginning of the page, for messages of failed tests.
    var summary: String { "\(response.status) \(path) \(location ?? "") \(text.prefix(2000))" }

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
        Dictionary(fields) { first, _ in first }
    }

    /// The names and values of all inputs.
    ///
    /// A name is repeated if a form has several check boxes.
    private var fields: [(String, String)] {
        text.matches(of: #/<input([^>]*)>/#).compactMap { match in
            Self.attribute("name", of: match.output.1).map { name in
                (name, Self.attribute("value", of: match.output.1) ?? "")
            }
        }
    }

    /// Opens a path of the server, or an address.
    func open(_ address: String) async throws {
        let address = address.hasPrefix("/") ? SelfServiceServer.url + address : address
        try await follow(await browser.get(address), from: address)
    }

    /// Submits the form of the page with its own values and the given ones, which replace those of the page.
    ///
    /// The address is that of the form, unless the button that is pressed has one of its own.
    func submit(_ values: [String: String], to address: String? = nil) async throws {
        let (action, all) = try form(with: values, to: address)
        try await follow(await browser.post(action, form: all), from: action)
    }

    /// Returns the address and the fields that ``submit(_:to:)`` sends.
    func form(with values: [String: String], to address: String? = nil) throws
        -> (action: String, fields: [(String, String)])
    {
        let form = try #require(text.firstMatch(of: #/<form([^>]*)>/#)?.output.1, "\(summary)")
        let action = try address ?? #require(Self.attribute("action", of: form))
        let own = fields.filter { !$0.1.isEmpty && values[$0.0] == nil }
        return (action, own + values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
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
