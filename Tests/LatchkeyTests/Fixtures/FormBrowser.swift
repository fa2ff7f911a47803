import Latchkey
import LatchkeyModel
import LatchkeyWire
import Testing

/// Performs the requests that the script of a page sends when the user uses the page.
///
/// - Parameters:
///   - page: The address of the page.
///   - browser: Sends the script's requests.
/// - Returns: The address to which the script leads the browser, or `nil` if the page has forms instead.
typealias PageScript = @Sendable (_ page: WebAddress, _ browser: FormBrowser) async -> String?

/// A user with a browser, who fills in the forms of any OpenID provider.
///
/// The browser follows redirects and stores cookies, but runs no scripts except a ``PageScript``. It stays on one host.
final class FormBrowser: BrowserHandOff, BrowserVisit {
    let redirectURI: String
    private let network: any Transport
    private let values: [String: String]
    private let script: PageScript?
    private let cookies = Locked<[String: String]>([:])

    /// Creates a browser.
    ///
    /// - Parameters:
    ///   - network: Sends the requests.
    ///   - redirectURI: The address of the app.
    ///   - values: The user's input, by the names of the fields. A button is pressed if its name is listed.
    ///   - script: Replaces the scripts of the pages, if they have any.
    init(
        over network: any Transport,
        redirectURI: String,
        values: [String: String],
        script: PageScript? = nil
    ) {
        (self.network, self.redirectURI, self.values) = (network, redirectURI, values)
        self.script = script
    }

    func prepare() async throws(LatchkeyError) -> any BrowserVisit { self }

    func end() {}

    func open(
        _ address: String,
        until isAnswer: @escaping @Sendable (String) -> Bool
    ) async throws(LatchkeyError) -> String? {
        await visit(address)
    }

    /// Submits the forms that follow an address, and returns the URL that leads to the app.
    private func visit(_ address: String) async -> String {
        var location = address
        var form: [(String, String)]?
        for _ in 0..<16 {
            guard let page = WebAddress(location) else { return location }
            guard let response = await send(form, to: page) else { return "" }
            if let next = response.headers["Location"] {
                location = Self.resolve(next, against: page)
                form = nil
                continue
            }
            if response.status == 200, let next = await script?(page, self) {
                location = next
                form = nil
                continue
            }
            let text = String(decoding: response.body, as: UTF8.self)
            guard let (action, fields) = filledForm(in: text) else {
                Issue.record("There is no form on the page (\(response.status)): \(text.prefix(500))")
                return ""
            }
            location = Self.resolve(action, against: page)
            form = fields
        }
        Issue.record("The browser doesn't leave the pages.")
        return ""
    }

    /// Sends a form, or requests a page if there is none.
    private func send(_ form: [(String, String)]?, to address: WebAddress) async -> HTTP.Response? {
        let path = address.path.isEmpty ? "/" : address.path
        var request = HTTP.Request(.get, path)
        if let form {
            request = HTTP.Request(form: form, to: path)
            request.headers["Origin"] = address.origin
        }
        request.query = address.query
        request.headers["Accept"] = "text/html"
        return await send(request, to: address)
    }

    /// Sends a request with the cookies of the host.
    func send(_ request: HTTP.Request, to address: WebAddress) async -> HTTP.Response? {
        var request = request
        let jar = cookies.withLock { $0 }
        if !jar.isEmpty {
            request.headers["Cookie"] = jar.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        let response: HTTP.Response
        do throws(TransportError) {
            response = try await network.send(request, to: address.origin, limits: RequestLimits())
        } catch {
            Issue.record("\(error)")
            return nil
        }
        for cookie in response.headers.all("Set-Cookie") {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map { String($0) }
            guard let name = pair.first else { continue }
            cookies.withLock { $0[name] = pair.count > 1 ? pair[1] : nil }
        }
        return response
    }

    // MARK: Pages

    /// Returns the address of a reference on a page (RFC 3986, section 5.2).
    ///
    /// The reference must not begin with `//` or contain dot segments.
    private static func resolve(_ reference: String, against page: WebAddress) -> String {
        if reference.prefixMatch(of: #/[A-Za-z][A-Za-z0-9+.\-]*:/#) != nil { return reference }
        let query = page.query.map { "?" + $0 } ?? ""
        switch reference.first {
        case nil: return page.origin + page.path + query
        case "/": return page.origin + reference
        case "?": return page.origin + page.path + reference
        default:
            let end = page.path.lastIndex(of: "/") ?? page.path.startIndex
            return "\(page.origin)\(page.path[..<end])/\(reference)"
        }
    }

    /// Returns the first form with fields that the user can fill in or submit.
    private func filledForm(in page: String) -> (action: String, fields: [(String, String)])? {
        for form in page.matches(of: #/<form([^>]*)>(.*?)</form>/#.dotMatchesNewlines()) {
            let fields = form.output.2.matches(of: #/<input([^>]*)>/#)
                .compactMap { field(Self.attributes(in: $0.output.1)) }
            if !fields.isEmpty { return (Self.attributes(in: form.output.1)["action"] ?? "", fields) }
        }
        return nil
    }

    /// Returns the name and the value of a field, or `nil` if it isn't submitted.
    private func field(_ attributes: [String: String]) -> (String, String)? {
        guard let name = attributes["name"] else { return nil }
        if let value = values[name] { return (name, value) }
        return attributes["type"] == "submit" ? nil : (name, attributes["value"] ?? "")
    }

    private static func attributes(in tag: Substring) -> [String: String] {
        let pairs = tag.matches(of: #/([^\s="]+)="([^"]*)"/#)
            .map { (String($0.output.1), unescaped($0.output.2)) }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func unescaped(_ text: Substring) -> String {
        entities.reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }

    private static let entities: [(String, String)] = [
        ("&quot;", "\""), ("&#x27;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"),
    ]
}
