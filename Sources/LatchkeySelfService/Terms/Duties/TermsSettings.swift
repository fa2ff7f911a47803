package import LatchkeyServerKit

/// Settings for documents that users answer.
public struct TermsSettings: Sendable {
    /// The keys of the documents without whose answer users without a client can't do anything else.
    ///
    /// For the users of a client, the member `latchkey.blocking` of its registration counts instead.
    public var blocking: [String] = []

    /// How long the answers of an account are retained after the account was erased or taken over.
    ///
    /// If the value is zero, they are retained indefinitely. The maximum is 36,600 days.
    public var retention: Duration = .zero

    /// Creates settings with default values.
    public init() {}

    /// The configuration settings for documents.
    package static let settings: [Setting<TermsSettings>] = [
        Setting(
            "terms.blocking",
            member: \.blocking,
            kind: .documentKeys,
            summary: "The documents without whose answer users without a client can't do anything else."
        ),
        Setting(
            "terms.retention",
            member: \.retention,
            kind: .duration(.zero ... .seconds(36_600 * 86_400)),
            summary:
                "How long answers are retained after their account was erased; 0s retains them indefinitely."
        ),
    ]
}

extension SettingKind<[String]> {
    /// A list of keys of documents.
    fileprivate static let documentKeys = SettingKind(
        wanted: "a list of keys of documents such as shop-terms"
    ) {
        input throws(SettingMismatch) in
        let keys = try list.read(input)
        guard keys.allSatisfy(TermsDocument.isKey) else {
            throw SettingMismatch(input, wanted: "a list of keys of documents such as shop-terms")
        }
        return keys
    } show: {
        list.show($0)
    }
}
