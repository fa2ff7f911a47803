import LatchkeyWire
import TestSpellings
import Testing

@testable import LatchkeyCommand

@Suite struct `Trait flags` {
    @Test(arguments: TypedSpellings.phones)
    func `A phone number has one value in every spelling, or is a usage error`(
        _ spelling: TypedSpellings.Text
    )
        throws
    {
        let syntax = Syntax(name: "try", summary: "tries", options: TraitFlags.all)
        let arguments = try Arguments(["--phone=" + spelling.typed], for: syntax)
        if let value = spelling.value {
            #expect(try TraitFlags.merge(arguments) == ["phone": .string(value)])
        } else {
            let failure = #expect(throws: CommandFailure.self) { try TraitFlags.merge(arguments) }
            #expect(failure?.message.contains("start with + and the country code") == true)
        }
    }

    @Test func `Traits with two members of the same name are a usage error`() throws {
        let syntax = Syntax(name: "try", summary: "tries", options: TraitFlags.all)
        let arguments = try Arguments(
            [#"--traits={"email": "a@example.com", "email": "b@example.com"}"#],
            for: syntax
        )
        let failure = #expect(throws: CommandFailure.self) { try TraitFlags.merge(arguments) }
        #expect(failure?.code == .usage && failure?.message.contains("email") == true)
    }
}
