/// The flags of all operator's commands.
enum OperatorOptions {
    static let url = Option(
        "admin-url",
        value: "URL",
        help:
            "The admin listener of a running server. Without it, the command works on the data directly. Environment variable: LATCHKEY_ADMIN_URL. The admin token is read from the data folder or from --admin-token-file."
    )

    static let all =
        [Option("json", help: "Print JSON."), url]
        + ConfigurationOptions.all.filter { $0.name == "admin-token-file" } + ConfigurationOptions.locations

    static let detail =
        "Works directly on the configured data, whether or not a server is running, or through the admin API at --admin-url."
}
