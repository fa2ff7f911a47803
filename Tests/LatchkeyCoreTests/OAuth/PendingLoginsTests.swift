import LatchkeyModel
import Testing

@testable import LatchkeyCore

@Suite struct `Pending logins` {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private func login(_ state: String, until expiry: Timestamp = now + .seconds(600)) -> PendingLogin {
        PendingLogin(
            state: Secret(state),
            verifier: CodeVerifier(stored: "verifier"),
            nonce: "nonce",
            redirectURI: "com.example.shop:/callback",
            issuer: "https://id.test",
            scopes: ["openid", "profile"],
            maxAge: 60,
            expiresAt: expiry
        )
    }

    @Test func `They survive a restart until they expire`() throws {
        var logins = PendingLogins()
        logins.add(login("a", until: Self.now + .seconds(1)))
        logins.add(login("b"))

        #expect(PendingLogins(decoding: logins.encoded, at: Self.now) == logins)
        let later = PendingLogins(decoding: logins.encoded, at: Self.now + .seconds(1))
        #expect(later.logins.map(\.state) == ["b"])
    }

    @Test func `The oldest of too many is forgotten`() {
        var logins = PendingLogins()
        for number in 0...PendingLogins.countLimit { logins.add(login("\(number)")) }
        #expect(logins.logins.map(\.state) == ["1", "2", "3", "4", "5"])
    }

    @Test func `Each is taken once, and an unknown state takes none`() {
        var logins = PendingLogins()
        logins.add(login("a"))
        logins.add(login("b"))
        #expect(logins.take("c") == nil && logins.logins.count == 2)
        #expect(logins.take("a")?.state == "a")
        #expect(logins.take("a") == nil && logins.logins.map(\.state) == ["b"])
    }

    @Test(arguments: ["", "{}", "[1]", "[{}]", #"[{"state": "a"}]"#, "\u{FF}"])
    func `Damaged records contain none`(text: String) {
        #expect(PendingLogins(decoding: Array(text.utf8), at: Self.now).logins.isEmpty)
        #expect(PendingLogins(decoding: nil, at: Self.now).encoded == nil)
    }
}
