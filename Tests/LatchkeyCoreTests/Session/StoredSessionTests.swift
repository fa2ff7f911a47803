import LatchkeyCore
import LatchkeyModel
import Testing

@Suite struct `Stored sessions` {
    /// Version 1 in its original form.
    ///
    /// Changing this text would break deployed devices.
    private static let version1 = #"""
        {"device":{"certificate":"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",\#
        "certifiedAt":"2026-11-21T08:11:20.715924Z","chain":["CA"],"key":"AP8BAg",\#
        "notAfter":"2027-02-19T08:11:20.000000Z","serialNumber":"01ab"},\#
        "identity":{"email":"a@example.org","id":"9a8cbfb3-87bd-4087-b48d-2569b1b43386",\#
        "name":{"first":"User","last":"Test"},"phone":"+439999999999","schema":"customer"},\#
        "session":{"authenticatedAt":"2026-11-21T08:11:20.700000Z","expiresAt":"2026-12-21T08:11:20.700000Z",\#
        "id":"a29924fd-14d7-46ee-b329-73854e876405"},"token":"lk_st_abc","version":1}
        """#

    /// The form of version 1 since the introduction of access tokens; older versions of an app ignore the new
    /// members.
    private static let pair = #"""
        "pair":{"access":"eyJ.eyJ.sig","expiresAt":"2026-11-21T08:21:20.000000Z","refresh":"lk_rt_1",\#
        "renewAt":"2026-11-21T08:20:20.000000Z"},
        """#

    private static let withPair = version1.replacing(#""session":"#, with: pair + #""session":"#)

    private func storedWithPair() throws -> StoredSession {
        var stored = try stored()
        stored.pair = TokenPair(
            access: "eyJ.eyJ.sig",
            refresh: "lk_rt_1",
            renewAt: try #require(Timestamp(rfc3339: "2026-11-21T08:20:20Z")),
            expiresAt: try #require(Timestamp(rfc3339: "2026-11-21T08:21:20Z"))
        )
        return stored
    }

    private func stored() throws -> StoredSession {
        StoredSession(
            session: UserSession(
                id: "a29924fd-14d7-46ee-b329-73854e876405",
                identity: Identity(
                    id: "9a8cbfb3-87bd-4087-b48d-2569b1b43386",
                    schema: "customer",
                    phone: PhoneNumber("+439999999999"),
                    email: EmailAddress("a@example.org"),
                    name: PersonName(first: "User", last: "Test")
                ),
                authenticatedAt: Timestamp(rfc3339: "2026-11-21T08:11:20.7Z"),
                expiresAt: Timestamp(rfc3339: "2026-12-21T08:11:20.7Z")
            ),
            token: "lk_st_abc",
            key: StoredKey([0, 255, 1, 2]),
            certificate: DeviceCertificate(
                pem: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
                chain: ["CA"],
                serialNumber: "01ab",
                certifiedAt: try #require(Timestamp(rfc3339: "2026-11-21T08:11:20.715924Z")),
                notAfter: try #require(Timestamp(rfc3339: "2027-02-19T08:11:20Z"))
            )
        )
    }

    @Test func `The record without a token pair has the format of version 1`() throws {
        #expect(String(decoding: try stored().encoded(), as: UTF8.self) == Self.version1)
    }

    @Test func `A record of version 1 is read`() throws {
        guard case .present(let read) = StoredSession.reading(Array(Self.version1.utf8)) else {
            Issue.record("The record cannot be read.")
            return
        }
        let expected = try stored()
        #expect(read.session == expected.session)
        #expect(read.token == expected.token)
        #expect(read.key == expected.key)
        #expect(read.certificate == expected.certificate)
    }

    @Test func `The record with a token pair has a stable format`() throws {
        #expect(String(decoding: try storedWithPair().encoded(), as: UTF8.self) == Self.withPair)
        guard case .present(let read) = StoredSession.reading(Array(Self.withPair.utf8)) else {
            Issue.record("The record cannot be read.")
            return
        }
        #expect(read == (try storedWithPair()))
    }

    @Test(arguments: [
        Self.version1.replacing(#""version":1"#, with: #""unheard":{"of":[1]},"version":1"#),
        Self.withPair.replacing("2026-11-21T08:20:20.000000Z", with: "some day"),
    ])
    func `Unknown members of a record are ignored`(_ text: String) throws {
        guard case .present(let read) = StoredSession.reading(Array(text.utf8)) else {
            Issue.record("The record cannot be read.")
            return
        }
        #expect(read == (try stored()))
    }

    @Test(arguments: [
        (#"{"version":2,"anything":1}"#, SessionStoreError.Code.newer),
        ("", .unreadable), ("{", .unreadable), ("{}", .unreadable), (#"{"version":1}"#, .unreadable),
    ])
    func `A malformed record is unavailable, never absent`(_ text: String, _ code: SessionStoreError.Code) {
        guard case .unavailable(let error) = StoredSession.reading(Array(text.utf8)) else {
            Issue.record("The record is not unavailable.")
            return
        }
        #expect(error.code == code)
    }

    @Test func `The description of a stored session contains no token or key`() throws {
        var text = ""
        let stored = try storedWithPair()
        dump(stored, to: &text)
        text += "\(stored)" + String(reflecting: stored)

        #expect(!text.contains("lk_st_abc") && !text.contains("lk_rt_1") && !text.contains("eyJ"))
        #expect(!text.contains("255"))
    }
}
