/// One flag of a subcommand.
struct Option: Sendable {
    /// The name, without its dashes.
    let name: String

    /// What stands for the value in help; nothing for a flag that takes none.
    let placeholder: String?

    /// What it does, in a sentence.
    let summary: String

    init(_ name: String, _ placeholder: String? = nil, _ summary: String) {
        self.name = name
        self.placeholder = placeholder
        self.summary = summary
    }

    /// The flag as it is written.
    var flag: String { "--" + name }
}
