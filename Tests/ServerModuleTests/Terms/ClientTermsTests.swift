import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import TestDatabases
import Testing

@Suite(.onEachDatabase) struct `Documents of clients` {
    private let terms: TermsServer

    private static let texts =
        #"[{"language": "en", "text": "Be kind."}, {"language": "nb", "text": "Vær snill.", "summary": "Ny."}]"#

    init() async throws {
        terms = try await TermsServer { $0.limits.publicReadsPerAddress = [Rate(6, per: .seconds(60))] }
        await terms.client("shop")
    }

    private func read(_ id: String = "shop", _ headers: HTTP.Headers = [:]) async -> Answer {
        await terms.server.get("/clients/\(id)/terms", headers: headers)
    }

    @Test func `Anyone can read which documents a client's users are asked to answer`() async throws {
        try await terms.publish(
            1,
            ["texts": Self.texts],
            document: ["titles": #"{"en": "Terms", "nb": "Vilkår"}"#]
        )
        try await terms.publish(document: ["key": #""game""#, "client_id": #""game""#])
        let answer = await read("shop", ["Accept-Language": "nb"])
        #expect(answer.status == 200)
        let documents = answer["documents"]?.elements ?? []
        #expect(documents.map { $0["key"] } == ["shop"])
        #expect(documents.first?["title"] == "Vilkår" && documents.first?["kind"] == "terms")
        let current = documents.first?["current"]
        #expect(current?["version"] == 1 && current?["asks"] == "acceptance" && current?["language"] == "nb")
        #expect(current?["hash"]?.text == TermsServer.hash("Vær snill.") && current?["summary"] == "Ny.")
        #expect(current?["url"] == "https://id.example.com/terms/shop/1?lang=nb")
    }

    @Test func `A document is listed from the date of its first version on`() async throws {
        let date = terms.server.time.now + .seconds(3_600)
        try await terms.publish(1, ["effective_at": #""\#(date)""#])
        #expect(await read()["documents"] == [])
        terms.server.time.advance(by: .seconds(3_600))
        #expect(await read()["documents"]?.elements.count == 1)
    }

    @Test func `The response can be cached for a minute, for each language`() async throws {
        try await terms.publish(1, ["texts": Self.texts])
        let answer = await read("shop", ["Accept-Language": "nb"])
        let tag = try #require(answer.response.headers["ETag"])
        #expect(answer.response.headers["Cache-Control"] == "public, max-age=60")
        let repeated = await read("shop", ["Accept-Language": "nb", "If-None-Match": tag])
        let other = await read("shop", ["Accept-Language": "en", "If-None-Match": tag])
        #expect(repeated.status == 304 && repeated.response.body.isEmpty && other.status == 200)
        for response in [answer, repeated, other] {
            #expect(response.response.headers.all("Vary").contains("Accept-Language"))
        }
    }

    @Test func `Unknown and disabled clients are answered alike, and networks are limited`() async throws {
        let operations = #"[{"op": "replace", "path": "/latchkey/disabled", "value": true}]"#
        #expect(await terms.admin.send(.patch, "/admin/clients/shop", operations).status == 200)
        let (disabled, unknown) = (await read(), await read("other"))
        #expect(disabled.status == 404 && disabled.response.body == unknown.response.body)
        for _ in 1...4 { #expect(await read().status == 404) }
        #expect(await read().status == 429)
    }
}

@Suite(.onEachDatabase) struct `Pages of texts` {
    private let terms: TermsServer

    init() async throws {
        terms = try await TermsServer { $0.limits.publicReadsPerAddress = [Rate(12, per: .seconds(60))] }
        let texts = """
            [{"language": "en", "text": "Be kind.\\n\\nAlways."}, \
            {"language": "nb", "text": "Vær <b>snill</b>.", "summary": "Nytt."}, \
            {"language": "is", "text": "Vertu góð."}]
            """
        try await terms.publish(
            1,
            ["texts": texts, "effective_at": #""2100-01-01T00:00:00Z""#],
            document: ["titles": #"{"en": "Terms", "nb": "Vilkår"}"#]
        )
    }

    private func open(_ path: String, _ headers: HTTP.Headers = [:]) async -> HTTP.Response {
        let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
        let request = HTTP.Request(.get, parts[0], query: parts.count > 1 ? parts[1] : nil, headers: headers)
        return await terms.server.send(request).response
    }

    private func text(_ response: HTTP.Response) -> String { String(decoding: response.body, as: UTF8.self) }

    @Test func `The page is readable before the version takes effect, in the language of the address`()
        async throws
    {
        let page = await open("/terms/shop/1?lang=nb", ["Accept-Language": "en"])
        #expect(page.status == 200 && page.headers["Content-Language"] == "nb")
        #expect(text(page).contains("Vær &lt;b&gt;snill&lt;/b&gt;."))
        #expect(
            text(page).contains("Vilkår") && text(page).contains("gjelder fra")
                && text(page).contains("2100-01-01")
        )
        #expect(text(page).contains("https://id.example.com/terms/shop/1?lang=en"))
    }

    @Test func `Without a language in the address, the browser decides`() async throws {
        for (accepted, words) in [("nb", "Vær"), ("is, nb", "Vertu"), ("fi", "Be kind."), ("", "Be kind.")] {
            let page = await open("/terms/shop/1", ["Accept-Language": accepted])
            #expect(text(page).contains(words), "\(accepted)")
        }
    }

    @Test func `The page can be cached, and loads no scripts`() async throws {
        let page = await open("/terms/shop/1?lang=en")
        #expect(page.headers["Cache-Control"] == "public, max-age=300")
        #expect(page.headers.all("Vary") == ["Accept-Language"])
        #expect(
            page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'; style-src 'self'") == true
        )
        let tag = try #require(page.headers["ETag"])
        let repeated = await open("/terms/shop/1?lang=en", ["If-None-Match": tag])
        #expect(repeated.status == 304 && repeated.body.isEmpty)
    }

    @Test func `What isn't published is answered with the usual page`() async throws {
        for path in [
            "/terms/shop/2", "/terms/other/1", "/terms/shop/01", "/terms/shop/x", "/terms/shop/-1",
            "/terms/shop/1?lang=fi", "/terms/shop/1?lang=", "/terms/Shop/1",
        ] {
            let page = await open(path)
            #expect(page.status == 404 && text(page).contains("We cannot find this page"), "\(path)")
            #expect(page.headers["Cache-Control"]?.contains("no-store") == true)
        }
    }

    @Test func `Networks are limited`() async throws {
        for _ in 1...12 { #expect(await open("/terms/shop/1").status == 200) }
        #expect(await open("/terms/shop/1").status == 429)
    }
}
