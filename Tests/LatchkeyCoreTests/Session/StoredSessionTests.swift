import LatchkeyCore
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

@Suite struct `Stored sessions` {
    private static let pair = #"""
        "pair":{"access":"eyJ.eyJ.sig","expiresAt":"2026-11-21T08:21:20.000000Z","isBound":false,\#
        "refresh":"lk_rt_1","renewAt":"2026-11-21T08:20:20.000000Z"}
        """#

    /// A record with all members.
    ///
    /// Changing this text would break deployed devices.
    private static let record = #"""
        {"certificate":{"certifiedAt":"2026-11-21T08:11:20.715924Z","chain":["CA"],\#
        "notAfter":"2027-02-19T08:11:20.000000Z",\#
        "pem":"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n","serialNumber":"01ab"},\#
        "credential":{"kind":"session_token","token":"lk_st_abc"},\#
        "identity":{"id":"9a8cbfb3-87bd-4087-b48d-2569b1b43386","metadata":{"tier":2},"schema":"customer",\#
        "traits":{"email":"a@example.org","name":{"first":"User","last":"Test"},"phone":"+439999999999",\#
        "shoe_size":44}},"key":"AP8BAg","login":"AAECAwQFBgcICQoLDA0ODw","requiresCertificate":true,\#
        "session":{"authenticatedAt":"2026-11-21T08:11:20.700000Z","expiresAt":"2026-12-21T08:11:20.700000Z",\#
        "id":"a29924fd-14d7-46ee-b329-73854e876405"},"version":1}
        """#

    private static let recordWithPair = record.replacing(
        #""kind":"session_token","#,
        with: #""kind":"session_token","# + pair + ","
    )

    /// A record that contains an OAuth grant but no certificate.
    private static let recordWithGrant = #"""
        {"credential":{"client":"shop","idToken":"eyJ.id.sig","issuer":"https://id.example.com","kind":"grant",\#
        \#(pair),"scopes":["email","openid"]},\#
        "identity":{"id":"9a8cbfb3-87bd-4087-b48d-2569b1b43386","schema":"person","traits":{}},\#
        "key":"AP8BAg","login":"AAECAwQFBgcICQoLDA0ODw","requiresCertificate":false,\#
        "session":{"id":""},"version":1}
        """#

    @Test func `A record states whether the access token is bound to the device key`() throws {
        var tokens = try Self.tokens()
        tokens.isBound = true
        let stored = try Self.complete(pair: tokens)
        let record = Self.recordWithPair.replacing(#""isBound":false"#, with: #""isBound":true"#)

        #expect(try Self.text(stored) == record)
        #expect(try Self.read(record) == stored)
    }

    private static func tokens() throws -> TokenPair {
        TokenPair(
            access: "eyJ.eyJ.sig",
            refresh: "lk_rt_1",
            renewAt: try #require(Timestamp(rfc3339: "2026-11-21T08:20:20Z")),
            expiresAt: try #require(Timestamp(rfc3339: "2026-11-21T08:21:20Z"))
        )
    }

    private static func login() throws -> LoginID {
        try #require(LoginID("AAECAwQFBgcICQoLDA0ODw"))
    }

    private static func session() throws -> UserSession {
        UserSession(
            id: "a29924fd-14d7-46ee-b329-73854e876405",
            identity: Identity(
                id: "9a8cbfb3-87bd-4087-b48d-2569b1b43386",
                schema: "customer",
                traits: [
                    "phone": "+439999999999", "email": "a@example.org",
                    "name": ["first": "User", "last": "Test"],
                ]
            ),
            authenticatedAt: Timestamp(rfc3339: "2026-11-21T08:11:20.7Z")?.date,
            expiresAt: Timestamp(rfc3339: "2026-12-21T08:11:20.7Z")?.date
        )
    }

    private static func stored(_ login: LoginID, pair: TokenPair? = nil) throws -> StoredSession {
        StoredSession(
            login: login,
            session: try session(),
            credential: .sessionToken("lk_st_abc", pair: pair),
            key: StoredKey([0, 255, 1, 2]),
            certificate: DeviceCertificate(
                pem: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
                chain: ["CA"],
                serialNumber: "01ab",
                certifiedAt: try #require(Timestamp(rfc3339: "2026-11-21T08:11:20.715924Z")),
                notAfter: try #require(Timestamp(rfc3339: "2027-02-19T08:11:20Z"))
            ),
            requiresCertificate: true
        )
    }

    /// The session in ``record`` or ``recordWithPair``.
    private static func complete(pair: TokenPair? = nil) throws -> StoredSession {
        var stored = try stored(login(), pair: pair)
        stored.session.identity.publicMetadata = ["tier": 2]
        stored.session.identity.traits["shoe_size"] = 44
        return stored
    }

    private static func grant() throws -> StoredSession {
        StoredSession(
            login: try login(),
            session: UserSession(
                id: "",
                identity: Identity(id: "9a8cbfb3-87bd-4087-b48d-2569b1b43386", schema: "person")
            ),
            credential: .grant(
                OAuthGrant(
                    pair: try tokens(),
                    issuer: "https://id.example.com",
                    client: "shop",
                    scopes: ["openid", "email"],
                    idToken: "eyJ.id.sig"
                )
            ),
            key: StoredKey([0, 255, 1, 2]),
            certificate: nil,
            requiresCertificate: false
        )
    }

    private static func read(_ text: String) throws -> StoredSession {
        guard case .present(let stored) = StoredSession.reading(Array(text.utf8)) else {
            Issue.record("The record cannot be read.")
            throw SessionStoreError(.unreadable, message: "The record cannot be read.")
        }
        return stored
    }

    private static func text(_ stored: StoredSession) throws -> String {
        String(decoding: try stored.encoded(), as: UTF8.self)
    }

    // MARK: Format

    @Test func `A session token is stored with the members of the record`() throws {
        #expect(try Self.text(Self.complete()) == Self.record)
        #expect(try Self.read(Self.record) == Self.complete())
    }

    @Test func `Exchanged tokens are stored with their session token`() throws {
        let stored = try Self.complete(pair: Self.tokens())
        #expect(try Self.text(stored) == Self.recordWithPair)
        #expect(try Self.read(Self.recordWithPair) == stored)
    }

    @Test func `An OAuth grant is stored without a session token or certificate`() throws {
        #expect(try Self.text(Self.grant()) == Self.recordWithGrant)
        #expect(try Self.read(Self.recordWithGrant) == Self.grant())
    }

    @Test(arguments: [
        (record.replacing(#""version":1"#, with: #""unheard":{"of":[1]},"version":1"#)),
        (recordWithPair.replacing("2026-11-21T08:20:20.000000Z", with: "some day")),
    ])
    func `Unknown members and damaged exchanged tokens in a record are ignored`(_ text: String) throws {
        #expect(try Self.read(text) == Self.complete())
    }

    // MARK: Damage

    @Test(arguments: [
        (#"{"version":2,"anything":1}"#, SessionStoreError.Code.newer),
        (record.replacing(#""version":1"#, with: #""version":2"#), .newer),
        (record.replacing(#""version":1"#, with: #""version":0"#), .unreadable),
        ("", .unreadable), ("{", .unreadable), ("{}", .unreadable),
        (#"{"version":1}"#, .unreadable),
        (record.replacing("session_token", with: "unheard"), .unreadable),
        (record.replacing("AAECAwQFBgcICQoLDA0ODw", with: "AAEC"), .unreadable),
        (record.replacing("2027-02-19T08:11:20.000000Z", with: "some day"), .unreadable),
        (recordWithGrant.replacing("2026-11-21T08:20:20.000000Z", with: "some day"), .unreadable),
        (recordWithGrant.replacing(#""client":"shop","#, with: ""), .unreadable),
    ])
    func `A malformed record is never treated as absent`(_ text: String, _ code: SessionStoreError.Code) {
        guard case .unavailable(let error) = StoredSession.reading(Array(text.utf8)) else {
            Issue.record("The record wasn't reported as unavailable.")
            return
        }
        #expect(error.code == code)
    }

    // MARK: Properties

    @Test func `A session that lacks a required certificate is incomplete`() throws {
        var stored = try Self.complete()
        #expect(stored.isComplete)
        stored.certificate = nil
        #expect(!stored.isComplete)
        stored.requiresCertificate = false
        #expect(stored.isComplete)
    }

    @Test func `Every login has a unique id`() {
        let random = SeededRandom()
        #expect(Set((1...100).map { _ in LoginID(random: random) }).count == 100)
    }

    @Test func `The description of a stored session doesn't contain tokens or keys`() throws {
        for stored in [try Self.complete(pair: Self.tokens()), try Self.grant()] {
            var text = ""
            dump(stored, to: &text)
            text += "\(stored)" + String(reflecting: stored)

            #expect(!text.contains("lk_st_abc") && !text.contains("lk_rt_1") && !text.contains("eyJ"))
            #expect(!text.contains("255"))
        }
    }

    @Test func `A record contains the addresses and the age of the account`() throws {
        var stored = try Self.complete()
        stored.session.identity.addresses = [
            Identity.Address(value: "a@example.org", isVerified: true, isForRecovery: false)
        ]
        stored.session.identity.createdAt = Timestamp(rfc3339: "2026-11-20T08:11:20.5Z")?.date

        let text = try Self.text(stored)

        #expect(
            text.contains(#""addresses":[{"isForRecovery":false,"isVerified":true,"value":"a@example.org"}]"#)
        )
        #expect(text.contains(#""createdAt":"2026-11-20T08:11:20.500000Z""#))
        #expect(try Self.read(text) == stored)
    }

    @Test(arguments: ["null", #""x""#, "[]"])
    func `Traits that aren't an object are treated as empty`(_ traits: String) throws {
        let record = Self.recordWithGrant.replacing(#""traits":{}"#, with: #""traits":"# + traits)

        #expect(try Self.read(record) == Self.grant())
    }
}

@Suite struct `Identities` {
    @Test func `Typed traits read and write the underlying JSON`() {
        var identity = Identity(id: "1", schema: "person", traits: ["size": 4])
        #expect(identity.phone == nil && identity.email == nil && identity.name == nil)

        identity.traits.phone = PhoneNumber("+439999999999")
        identity.traits.email = EmailAddress("a@example.org")
        identity.traits.name = PersonName(first: "User", last: "Test")

        #expect(
            identity.traits == [
                "size": 4, "phone": "+439999999999", "email": "a@example.org",
                "name": ["first": "User", "last": "Test"],
            ]
        )
        #expect(identity.name == PersonName(first: "User", last: "Test"))
        identity.traits.phone = nil
        #expect(identity.traits["phone"] == nil)
    }
}
