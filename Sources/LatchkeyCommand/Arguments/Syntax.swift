/// The syntax of a subcommand, from which parser, help and errors are derived.
struct Syntax: Sendable {
    /// The words after `latchkey`, such as `identity create`.
    ///
    /// The name must not begin with the complete name of another subcommand, because the first match is run.
    let name: String

    /// A one-sentence description.
    let summary: String

    /// Further paragraphs of the description.
    var details: [String] = []

    /// The names of the operands in order, all of which are required.
    var operands: [String] = []

    /// The flags that help lists.
    var options: [Option] = []

    /// Whether the subcommand uses the server's configuration and accepts every setting as a flag.
    var takesSettings = false

    /// Examples of command lines, without `latchkey`, and their purposes.
    var examples: [(line: String, purpose: String)] = []
}

extension Syntax {
    /// The accepted flags that help does not list, which are the settings of the server.
    ///
    /// Settings that are also in ``options`` are omitted. The list is empty if ``takesSettings`` is `false`.
    var settings: [Option] {
        guard takesSettings else { return [] }
        let own = Set(options.map(\.name))
        return ConfigurationOptions.all.filter { !own.contains($0.name) }
    }

    /// Returns the option for a flag such as `--data`; `nil` if the subcommand does not accept it.
    func option(_ flag: String) -> Option? {
        (options + settings).first { $0.flag == flag }
    }
}
