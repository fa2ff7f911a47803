import LatchkeyServer

/// Prints a reference page for all settings.
struct ConfigReferenceCommand: Subcommand {
    let syntax = Syntax(
        name: "config reference",
        summary: "print a Markdown page that describes all settings",
        details: ["Lists all settings with their accepted values and default values."],
        examples: [("config reference > configuration.md", "The reference of the installed version")]
    )

    /// Prints ``ConfigurationReference/page``.
    ///
    /// The configuration isn't read, so this also works if it is invalid.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        console.write(ConfigurationReference.page)
    }
}
