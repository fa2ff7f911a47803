import LatchkeyServer

/// The command that prints the reference of all settings.
struct ConfigReferenceCommand: Subcommand {
    let syntax = Syntax(
        name: "config reference",
        summary: "print a Markdown page that describes all settings",
        details: ["Lists the names, accepted values and defaults of all settings; reads no configuration."],
        examples: [("config reference > configuration.md", "The reference of the installed version")]
    )

    /// Prints ``ConfigurationReference/page`` without reading the configuration, which may be invalid.
    func run(_ arguments: Arguments, on console: Console) async throws(CommandFailure) {
        console.write(ConfigurationReference.page)
    }
}
