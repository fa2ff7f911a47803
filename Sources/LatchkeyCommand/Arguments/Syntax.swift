/// What a subcommand is called, takes and does: parser, help and errors are all made from it.
struct Syntax: Sendable {
    /// The words after `latchkey`, such as `identity create`.
    let name: String

    /// What it does, in a sentence.
    let summary: String

    /// More about it, a paragraph each.
    var details: [String] = []

    /// Names of the operands, all required, in their order.
    var operands: [String] = []

    /// Its flags.
    var options: [Option] = []

    /// Command lines that work, without `latchkey`, each with what it does.
    var examples: [(line: String, purpose: String)] = []
}
