import LatchkeyCore
import LatchkeyLinux
import LatchkeyModel
import Testing

@Suite struct `Browsers that open the app with its own scheme` {
    @Test func `A visit opens the page, and the system passes the answer to the app`() async throws {
        let opened = Locked<[String]>([])
        let browser = PrivateUseSchemeBrowser(redirectURI: "com.example.shop:/callback") { page in
            #expect(page.returnPort == nil)
            opened.withLock { $0.append(page.address) }
        }
        let visit = try await browser.prepare()
        #expect(visit.redirectURI == "com.example.shop:/callback")
        #expect(try await visit.open("https://id.example.com/") { _ in true } == nil)
        await #expect(throws: LatchkeyError.self) { try await visit.open("-x") { _ in true } }
        visit.end()
        #expect(opened.withLock { $0 } == ["https://id.example.com/"])
    }

    @Test(arguments: [
        "https://app.example.com/callback", "shop:/callback", "com.example.shop", "com.example.shop:",
        "com.example.shop:callback", "com..shop:/callback", "com.example.shop.:/callback",
        "com.example.shop:/a b", "com.example.shop:/callback?a=1", "1com.example:/callback", ":/callback", "",
        "http://127.0.0.1/callback", "com.exa mple:/callback", "com.example;text/html:/callback",
    ])
    func `A redirect URI with another scheme is refused`(_ redirectURI: String) async {
        let browser = PrivateUseSchemeBrowser(redirectURI: redirectURI) { _ in }
        await #expect { try await browser.prepare() } throws: { error in
            (error as? LatchkeyError)?.code == .invalidInput
        }
    }
}
