import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// A user with a browser, who logs in on the server's pages with a password.
final class BrowserUser: BrowserHandOff, BrowserVisit {
    let redirectURI: String
    private let network: any Transport
    private let base: String
    private let credentials: [String: String]
    private let cookies = Locked<[String: String]>([:])
    private let returns: Bool
    private let addresses = Locked<[String]>([])

    /// If `returns` is `false`, the operating system passes the redirect to the app.
    convenience init(
        _ server: TestServer,
        redirectURI: String,
        identifier: String,
        password: String,
        returns: Bool = true
    ) {
        self.init(
            at: TestServer.url,
            over: server.transport(from: "198.51.100.20"),
            redirectURI: redirectURI,
            identifier: identifier,
            password: password,
            returns: returns
        )
    }

    /// Creates a user of the server at an address.
    init(
        at base: String,
        over network: any Transport,
        redirectURI: String,
        identifier: String,
        password: String,
        returns: Bool = true
    ) {
        (self.network, self.base) = (network, base)
        self.redirectURI = redirectURI
        credentials = ["identifier": identifier, "password": password, "method": "password"]
        self.returns = returns
    }

    /// The addresses that the browser was asked to open.
    var opened: [String] { addresses.withLock { $0 } }

    func prepare() async throws(LatchkeyError) -> any BrowserVisit { self }

    func end() {}

    func open(
        _ address: String,
        until isAnswer: @escaping @Sendable (String) -> Bool
    ) async throws(LatchkeyError) -> String? {
        addresses.withLock { $0.append(address) }
        guard returns else { return nil }
        return await visit(address)
    }

    /// Logs in on the pages that follow an address, consents, and returns the URL that leads to the app.
    func visit(_ address: String) async -> String {
        var page = await get(address)
        for _ in 0..<8 {
            switch page {
            case .left(let url): return url
            case .shown(let text):
                let values = text.contains(#"name="decision""#) ? ["decision": "approve"] : credentials
                guard let (action, form) = form(in: text, with: values) else {
                    Issue.record("There is no form on the page: \(text.prefix(500))")
                    return ""
                }
                let parts = action.split(separator: "?", maxSplits: 1).map { String($0) }
                var request = HTTP.Request(form: form, to: parts[0])
                request.query = parts.count > 1 ? parts[1] : nil
                page = await send(request)
            }
        }
        Issue.record("The browser doesn't leave the pages.")
        return ""
    }

    private enum Page {
        case shown(String)
        case left(String)
    }

    private func get(_ address: String) async -> Page {
        let target = address.dropFirst(base.count)
        let parts = target.split(separator: "?", maxSplits: 1)
        return await send(
            HTTP.Request(.get, String(parts[0]), query: parts.count > 1 ? String(parts[1]) : nil)
        )
    }

    private func send(_ request: HTTP.Request) async -> Page {
        var request = request
        request.headers["Accept"] = "text/html"
        request.headers["Sec-Fetch-Site"] = "same-origin"
        request.headers["Origin"] = request.method == .post ? base : nil
        let jar = cookies.withLock { $0 }
        if !jar.isEmpty {
            request.headers["Cookie"] = jar.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        let response: HTTP.Response
        do throws(TransportError) {
            response = try await network.send(request, to: base, limits: RequestLimits())
        } catch {
            Issue.record("\(error)")
            return .left("")
        }
        for cookie in response.headers.all("Set-Cookie") {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map { String($0) }
            cookies.withLock { $0[pair[0]] = pair.count > 1 ? pair[1] : nil }
        }
        guard let location = response.headers["Location"] else {
            return .shown(String(decoding: response.body, as: UTF8.self))
        }
        return location.hasPrefix(base + "/") ? await get(location) : .left(location)
    }

    private func form(
        in page: String,
        with values: [String: String]
    ) -> (action: String, fields: [(String, String)])? {
        guard let form = page.firstMatch(of: #/<form[^>]*action="([^"]*)"/#)?.output.1 else { return nil }
        let own = page.matches(of: #/<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"/#)
            .map { (String($0.output.1), String($0.output.2)) }.filter { values[$0.0] == nil }
        let action = String(form).replacing("&amp;", with: "&").replacing(base, with: "")
        return (action, own + values.map { ($0.key, $0.value) })
    }
}
