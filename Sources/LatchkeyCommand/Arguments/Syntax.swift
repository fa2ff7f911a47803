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

    /// Whether it works with a server's configuration, every setting of which is one more flag.
    var takesSettings = false

    /// Command lines that work, without `latchkey`, each with what it does.
    var examples: [(line: String, purpose: String)] = []
}

extension Syntax {
    /// The flags that it takes and that its help does not list.
    var settings: [Option] {
        guard takesSettings else { return [] }
        let own = Set(options.map(\.name))
        return ConfigurationOptions.all.filter { !own.contains($0.name) }
    }

    /// A flag by the way it is written; `nil` if it takes no such flag.
    func option(_ flag: String) -> Option? {
        (options + settings).first { $0.flag == flag }
    }
}
