import LatchkeyModel
import LatchkeyWire
import Testing

@testable import LatchkeyCore

/// The rules of OpenID Connect Core 1.0, section 3.1.3.7, for the claims of a token.
@Suite struct `Claims of an ID token` {
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let accessToken: Secret = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"

    private static let valid: [String: JSONValue] = [
        "iss": "https://id.test", "aud": "shop-app", "sub": "user", "nonce": "n",
        "exp": .integer(1_800_000_300), "iat": .integer(1_800_000_000),
    ]

    private static func check(maxAge: Int? = nil) -> IDTokenCheck {
        IDTokenCheck(
            issuer: "https://id.test",
            client: "shop-app",
            nonce: "n",
            maxAge: maxAge,
            now: now
        )
    }

    /// A change of the claims, and the reason why they are rejected.
    struct Row: Sendable, CustomTestStringConvertible {
        let change: [String: JSONValue?]
        var maxAge: Int?
        let failure: IDTokenCheck.Failure?

        var testDescription: String { "\(change.keys.sorted()) \(String(describing: failure))" }
    }

    private static let rows: [Row] = [
        Row(change: [:], failure: nil),
        Row(change: ["iss": nil], failure: .issuer),
        Row(change: ["iss": "https://id.test/"], failure: .issuer),
        Row(change: ["iss": "https://ID.test"], failure: .issuer),
        Row(change: ["aud": nil], failure: .audience),
        Row(change: ["aud": "other"], failure: .audience),
        Row(change: ["aud": ["shop-app"]], failure: nil),
        Row(change: ["aud": ["shop-app", "other"]], failure: .authorizedParty),
        Row(change: ["aud": ["shop-app", "other"], "azp": "shop-app"], failure: nil),
        Row(change: ["azp": "other"], failure: .authorizedParty),
        Row(change: ["azp": .integer(1)], failure: .authorizedParty),
        Row(change: ["sub": nil], failure: .subject),
        Row(change: ["sub": ""], failure: .subject),
        Row(change: ["sub": .string(String(repeating: "u", count: 256))], failure: .subject),
        Row(change: ["exp": nil], failure: .expired),
        Row(change: ["exp": "1800000300"], failure: .expired),
        Row(change: ["exp": .integer(1_799_999_941)], failure: nil),
        Row(change: ["exp": .integer(1_799_999_940)], failure: .expired),
        Row(change: ["exp": .double(1e300)], failure: .expired),
        Row(change: ["iat": nil], failure: .issuedInFuture),
        Row(change: ["iat": .integer(1_800_000_060)], failure: nil),
        Row(change: ["iat": .integer(1_800_000_061)], failure: .issuedInFuture),
        Row(change: ["nonce": nil], failure: .nonce),
        Row(change: ["nonce": "other"], failure: .nonce),
        Row(change: ["at_hash": "77QmUPtjPfzWtF2AnpK9RQ"], failure: nil),
        Row(change: ["at_hash": "77QmUPtjPfzWtF2AnpK9RR"], failure: .accessToken),
        Row(change: ["at_hash": .integer(1)], failure: .accessToken),
        Row(change: [:], maxAge: 60, failure: .authenticationTime),
        Row(change: ["auth_time": .integer(1_799_999_881)], maxAge: 60, failure: nil),
        Row(change: ["auth_time": .integer(1_799_999_880)], maxAge: 60, failure: .authenticationTime),
    ]

    @Test(arguments: rows)
    func `Each claim is checked`(row: Row) {
        var claims = Self.valid
        for (name, value) in row.change { claims[name] = value }
        let check = Self.check(maxAge: row.maxAge)
        var failure: IDTokenCheck.Failure?
        do throws(IDTokenCheck.Failure) {
            let subject = try check.subject(of: .object(claims), accessToken: Self.accessToken)
            #expect(subject == "user")
        } catch {
            failure = error
        }
        #expect(failure == row.failure)
    }
}
