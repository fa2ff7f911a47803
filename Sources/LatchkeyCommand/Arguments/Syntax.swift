/// The syntax of a subcommand.
///
/// The syntax is used to parse arguments and to generate help texts and error messages.
struct Syntax: Sendable {
    /// The words that follow `latchkey` on the command line, such as `identity create`.
    ///
    /// The first subcommand that matches is run, so a name must not start with the full name of a subcommand
    /// listed before it.
    let name: String

    let summary: String

    /// Additional paragraphs for the help page.
    var details: [String] = []

    /// The names of the operands, in order.
    ///
    /// None of the operands can be omitted.
    var operands: [String] = []

    /// The flags that are listed in the help text.
    var options: [Option] = []

    /// Whether the subcommand uses the server's configuration and accepts every setting as a flag.
    var takesSettings = false

    /// Example command lines without the leading `latchkey`, and what they do.
    var examples: [(line: String, purpose: String)] = []
}

extension Syntax {
    /// The flags for server settings, which the subcommand accepts but doesn't list in its help text.
    ///
    /// Settings that are also listed in ``options`` are left out. The list is empty if ``takesSettings`` is
    /// `false`.
    var settings: [Option] {
        guard takesSettings else { return [] }
        let own = Set(options.map(\.name))
        return ConfigurationOptions.all.filter { !own.contains($0.name) }
    }

    /// Returns the option for a flag such as `--data`, or `nil` if the subcommand doesn't accept that flag.
    func option(_ flag: String) -> Option? {
        (options + settings).first { $0.flag == flag }
    }
}
