import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

@Suite struct `Pending logins` {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private static let grant = OAuthGrant(
        pair: TokenPair(access: "a", refresh: nil, lifespan: .seconds(600), receivedAt: now),
        issuer: "https://id.test",
        client: "shop",
        scopes: ["openid"],
        idToken: "id"
    )

    private func login(
        _ state: String,
        until expiry: Timestamp = now + .seconds(600),
        progress: PendingLogin.Progress = .waiting
    ) -> PendingLogin {
        PendingLogin(
            state: Secret(state),
            verifier: CodeVerifier(stored: "verifier"),
            key: StoredKey([1, 2]),
            nonce: "nonce",
            redirectURI: "com.example.shop:/callback",
            issuer: "https://id.test",
            scopes: ["openid", "profile"],
            maxAge: 60,
            expiresAt: expiry,
            persistence: .memory,
            former: LoginID(random: SeededRandom(seed: 1)),
            progress: progress
        )
    }

    @Test func `A login that the provider has answered is kept until it is completed or revoked`() throws {
        var logins = PendingLogins()
        logins.add(login("a", until: Self.now, progress: .answered(code: "c")))
        logins.add(login("b", until: Self.now, progress: .granted(Self.grant)))
        logins.add(login("c", until: Self.now))

        var later = PendingLogins(decoding: logins.encoded)
        later.removeExpired(at: Self.now + .seconds(60))
        #expect(later.logins == Array(logins.logins.prefix(2)))
        for number in 0...PendingLogins.countLimit { logins.add(login("\(number)")) }
        #expect(logins["a"] != nil && logins["b"] != nil && logins.logins.count == 5)
    }

    @Test func `A login is read on its own as it was encoded`() throws {
        for progress in [
            PendingLogin.Progress.waiting, .answered(code: "c"), .granted(Self.grant),
            .opened(token: "t", subject: "s"),
        ] {
            let login = login("a", progress: progress)
            #expect(PendingLogin(decoding: try #require(login.encoded)) == login)
        }
    }

    @Test func `They survive a restart until they expire`() throws {
        var logins = PendingLogins()
        logins.add(login("a", until: Self.now + .seconds(1)))
        logins.add(login("b"))

        var later = PendingLogins(decoding: logins.encoded)
        #expect(later == logins)
        later.removeExpired(at: Self.now)
        #expect(later == logins)
        later.removeExpired(at: Self.now + .seconds(1))
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
        #expect(PendingLogins(decoding: Array(text.utf8)).logins.isEmpty)
        #expect(PendingLogins(decoding: nil).encoded == nil)
    }
}
