/// Something that takes bytes from strangers, with the rules that hold whatever they send.
package struct FuzzTarget: Sendable {
    /// What `scripts/fuzz` and the folder of its corpus call it.
    package let name: String

    /// What is tried, in a sentence.
    package let summary: String

    /// Words that a fuzzer would not find by itself.
    package let words: [String]

    /// Tries one input; throws ``BrokenRule`` when a rule does not hold.
    package let check: @Sendable ([UInt8]) throws -> Void

    /// All targets.
    package static let all = [
        requests, wire, schemas, configuration, signingRequests, proofs, templates, json,
        forwarded,
    ]

    /// The target of a name.
    package static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}
