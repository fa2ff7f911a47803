/// The flags of all operator's commands.
enum OperatorOptions {
    static let url = Option(
        "admin-url",
        "URL",
        "The admin listener of a server that runs; without it, the work is done on the data. Also LATCHKEY_ADMIN_URL. The admin token is read from the data folder, or from the file of --admin-token-file."
    )

    static let all =
        [Option("json", nil, "Print JSON."), url]
        + ConfigurationOptions.all.filter { $0.name == "admin-token-file" } + ConfigurationOptions.places

    static let detail =
        "Works on the data of the configuration, whether or not a server runs on it, or through the operator's API of --admin-url."
}
