import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire
import Testing

@Suite struct `Setting kinds` {
    @Test(arguments: [true, false])
    func `Optional settings accept the same values as required ones`(isSecret: Bool) {
        let kind = SettingKind<String>(
            wanted: "a word",
            isSecret: isSecret,
            holdsSecret: { $0.contains("hush") }
        ) {
            _ throws(SettingMismatch) in
            ""
        } show: {
            .string($0)
        }

        let optional = SettingKind<String?>.optional(kind)

        #expect(optional.wanted == kind.wanted)
        #expect(optional.isSecret == isSecret)
        #expect(optional.holdsSecret?("hush") == true)
        #expect(optional.holdsSecret?("loud") == false)
        #expect(optional.show(nil) == .null)
    }
}
