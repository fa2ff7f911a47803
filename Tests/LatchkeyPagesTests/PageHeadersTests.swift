import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyCourier
@testable import LatchkeyPages
@testable import LatchkeySelfService

@Suite struct `Headers of pages` {
    @Test func `Pages can't be framed, stored or read as anything else`() throws {
        let response = try PageSample("welcome", page: WelcomePage(account: nil)).response(in: .finnish)
        #expect(response.status == 200)
        let fields = response.headers.fields.map { "\($0.name): \($0.value)" }
        #expect(
            fields == [
                "Content-Type: text/html; charset=utf-8", "Content-Language: fi",
                "Content-Security-Policy: default-src 'none'; style-src 'self'; img-src 'self' data:; "
                    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
                "X-Frame-Options: DENY", "X-Content-Type-Options: nosniff", "Referrer-Policy: same-origin",
                "Cache-Control: no-store", "Vary: Cookie, Accept-Language",
            ]
        )
    }

    private func policy(_ page: some HTMLPage, showsLogos: Bool = false) throws -> String {
        let response = try PageSample("page", page: page).response(showsLogos: showsLogos)
        return response.headers["Content-Security-Policy"] ?? ""
    }

    @Test func `Forms that can lead to a client or a return address aren't restricted`() throws {
        let restriction = "form-action"
        #expect(try policy(FlowPage.sample(.login)).contains(restriction))
        #expect(try !policy(FlowPage.sample(.login, returnTo: "https://a.example/")).contains(restriction))
        var page = try FlowPage.sample(.login)
        page.request = .init(client: .shop, cancel: .root)
        #expect(try !policy(page).contains(restriction))
        #expect(try !policy(PageSample.consent(.proceed)).contains(restriction))
        #expect(try policy(LogoutPage(account: "a", form: .sample)).contains(restriction))
        let leaving = LogoutPage(account: "a", form: .sample, isLeftByForm: true)
        #expect(try !policy(leaving).contains(restriction))
    }

    @Test func `Images of other hosts are only allowed for a logo that the operator permits`() throws {
        #expect(
            try policy(PageSample.consent(.proceed), showsLogos: true).contains(
                "img-src 'self' data: https:;"
            )
        )
        #expect(try !policy(PageSample.consent(.proceed)).contains("https:"))
        #expect(try !policy(WelcomePage(account: nil), showsLogos: true).contains("https:"))
    }

    @Test func `Files have URLs of their content and are stored for a year`() throws {
        #expect(Set(PageAsset.all.map(\.path)).count == 2)
        let hash = Base64URL.encode(Array(SHA256Hash.hash(PageAsset.stylesheet.bytes).prefix(9)))
        #expect(PageAsset.stylesheet.path == "/assets/pages-\(hash).css")
        for asset in PageAsset.all {
            let response = asset.response
            #expect(response.headers["Cache-Control"] == "public, max-age=31536000, immutable")
            #expect(response.headers["X-Content-Type-Options"] == "nosniff")
            #expect(asset.path.hasPrefix("/assets/"))
        }
        #expect(PageAsset.stylesheet.response.headers["Content-Type"] == "text/css; charset=utf-8")
        #expect(PageAsset.icon.response.headers["Content-Type"] == "image/svg+xml")
    }
}
