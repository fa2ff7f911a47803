import LatchkeyModel
import LatchkeyServerKit
import Testing

@testable import LatchkeyAccounts

@Suite struct `Authentications of a session` {
    private static let start = Timestamp(seconds: 1_800_000_000)
    private static let second = AuthenticationMethod("answer", reference: "kba", level: .aal2)

    private static func list(_ entries: (AuthenticationMethod, Int)...) -> [Authentication] {
        entries.map { Authentication($0.0, at: start + .seconds($0.1)) }
    }

    @Test(
        arguments: [
            ([], .aal1, []), (list((.password, 0)), .aal1, ["pwd"]),
            (list((.code, 0), (.codeRecovery, 1)), .aal1, ["otp"]),
            (list((.password, 0), (.code, 1)), .aal1, ["pwd", "otp"]),
            // A second factor alone is one factor.
            (list((second, 0)), .aal1, ["kba"]),
            (list((.password, 0), (second, 1)), .aal2, ["pwd", "kba", "mfa"]),
            (list((second, 0), (.code, 1)), .aal2, ["kba", "otp", "mfa"]),
        ] as [([Authentication], AssuranceLevel, [String])]
    )
    func `The level and the references depend on the methods`(
        authentications: [Authentication],
        level: AssuranceLevel,
        references: [String]
    ) {
        #expect(authentications.level == level)
        #expect(authentications.references == references)
    }

    @Test func `A repeated method replaces its earlier entry and comes last`() {
        let before = Self.list((.password, 0), (Self.second, 1))
        let after = before.adding(Authentication(.password, at: Self.start + .seconds(2)))
        #expect(after == Self.list((Self.second, 1), (.password, 2)))
    }

    @Test(arguments: [(899, 2), (900, 1), (901, 1)])
    func `An earlier authentication belongs to the latest one for a limited time`(age: Int, count: Int) {
        let authentications = Self.list((.password, 0), (.code, age))
        #expect(authentications.latest(within: .seconds(900)).count == count)
        #expect(authentications.latest(within: .seconds(900)).last == authentications.last)
    }

    @Test func `The list can be stored and loaded`() throws {
        let authentications = Self.list((.password, 0), (Self.second, 1))
        #expect(
            authentications.text == "password pwd aal1 1800000000000000\nanswer kba aal2 1800000001000000"
        )
        #expect(try [Authentication](text: authentications.text) == authentications)
    }

    @Test(arguments: [
        "", "password", "password pwd aal3 1", "password pwd aal1 soon", "password pwd aal1 ", "a b aal1 1 2",
    ])
    func `Other stored text is an error`(text: String) {
        #expect(throws: DatabaseError.self) { try [Authentication](text: text) }
    }
}
