/// One flag of a subcommand.
struct Option: Sendable {
    /// The name, without its dashes.
    let name: String

    /// What stands for the value in help; nothing for a flag that takes none.
    let placeholder: String?

    /// Writes what it does, which only help asks for.
    private let describe: @Sendable () -> String

    init(
        _ name: String,
        _ placeholder: String? = nil,
        _ summary: @autoclosure @escaping @Sendable () -> String
    ) {
        self.name = name
        self.placeholder = placeholder
        describe = summary
    }

    /// What it does, in a sentence.
    var summary: String { describe() }

    /// The flag as it is written.
    var flag: String { "--" + name }
}
