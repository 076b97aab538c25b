package understudy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A JUnit 5 extension for tests that run against Understudy. It needs Java 17. Copy this file into your tests.
 *
 * <pre>
 * &#64;ExtendWith(Understudy.class)
 * class SubmissionTest {
 *   &#64;Test
 *   void fails(Understudy.Tenant tenant) {
 *     tenant.outcome("broken.*", Map.of("status", "Failed"));
 *     String txId = tenant.submit("broken.txt", "Insured: Foxglove Bakery LLC");
 *     tenant.advance(Duration.ofMinutes(1));
 *     assertEquals("Failed", tenant.status(txId));
 *   }
 * }
 * </pre>
 *
 * The extension gives each test its own tenant, which is deleted when the test ends. All tests share one server. JSON
 * objects are maps, with the names that the control API uses: GET /control/v1/openapi.json documents them.
 */
public final class Understudy implements ParameterResolver {
  private static final Set<String> FINAL_EVENTS = Set.of("universal_submit:completed", "universal_submit:failed");
  private static final Duration CALL_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration MAX_AWAIT = Duration.ofMinutes(1); // the longest wait of one control API call

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Tenant.class || type == Sandbox.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (parameter.getParameter().getType() == Sandbox.class) {
      return Sandbox.shared();
    }
    // JUnit closes the tenant when the test ends.
    return context.getStore(Namespace.create(Understudy.class))
        .getOrComputeIfAbsent(Tenant.class, key -> Sandbox.shared().tenant(Map.of()), Tenant.class);
  }

  /** The server refused a call of the API or the control API. */
  public static final class APIException extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** Status code of the response. */
    public final int status;
    /** From the body of the response. */
    public final String apiMessage;
    /** How to fix the call; "" if the server gave no hint. */
    public final String hint;

    private APIException(String call, int status, String apiMessage, String hint) {
      super(call + ": " + status + ": " + apiMessage + (hint.isEmpty() || hint.equals(apiMessage) ? "" : "\nhint: " + hint));
      this.status = status;
      this.apiMessage = apiMessage;
      this.hint = hint;
    }
  }

  /** An event did not happen within the timeout. */
  public static final class NoEventError extends AssertionError {
    private static final long serialVersionUID = 1;

    private NoEventError(String message) {
      super(message);
    }
  }

  /** A server: the running one that UNDERSTUDY_CONTROL_URL names, or else a new one that stops when this process ends. */
  public static final class Sandbox implements AutoCloseable {
    /** URL of the API, such as http://127.0.0.1:8080. */
    public final String apiUrl;
    /** URL of the control listener, such as http://127.0.0.1:8081. */
    public final String controlUrl;
    private final String token;
    private final Server server; // null if this object did not start it
    private final HttpClient http = HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY).connectTimeout(Duration.ofSeconds(10)).build();
    private static Sandbox shared;

    private Sandbox(String controlUrl, String apiUrl, String token, Server server) {
      this.controlUrl = controlUrl.replaceAll("/+$", "");
      this.token = token;
      this.server = server;
      this.apiUrl = (apiUrl.isEmpty() ? (String) object(control("GET", "/", null)).get("api_url") : apiUrl).replaceAll("/+$", "");
    }

    /** Finds the server that UNDERSTUDY_CONTROL_URL names, or else starts a new one. */
    public static Sandbox start() {
      String controlUrl = environment("UNDERSTUDY_CONTROL_URL");
      if (!controlUrl.isEmpty()) {
        return connect(controlUrl, environment("UNDERSTUDY_API_URL"), environment("UNDERSTUDY_CONTROL_TOKEN"));
      }
      Server server = new Server(Server.find());
      return new Sandbox(server.controlUrl, server.apiUrl, "", server);
    }

    /** Uses a running server. If apiUrl is "", the control listener reports it. controlToken is "" if the server requires none. */
    public static Sandbox connect(String controlUrl, String apiUrl, String controlToken) {
      return new Sandbox(controlUrl, apiUrl, controlToken, null);
    }

    /** Returns the server that all tests of this process share. The first call finds or starts it. */
    public static synchronized Sandbox shared() {
      if (shared == null) {
        shared = start();
      }
      return shared;
    }

    /** Makes the extension use this server, for example one in a container. */
    public static synchronized void share(Sandbox sandbox) {
      shared = sandbox;
    }

    /** Creates a tenant. The options are name, permissions and settings. */
    public Tenant tenant(Map<String, ?> options) {
      return new Tenant(this, object(control("POST", "/tenants", options)));
    }

    /**
     * Calls the control API and returns the JSON of the response, or null if it is empty. The path is relative to
     * /control/v1. Without a body, pass null.
     */
    public Object control(String method, String path, Object body) {
      return Json.parse(controlResponse(method, path, body).check().body);
    }

    private Response controlResponse(String method, String path, Object body) {
      Map<String, String> headers = new LinkedHashMap<>();
      if (!token.isEmpty()) {
        headers.put("Authorization", "Bearer " + token);
      }
      if (body != null) {
        headers.put("Content-Type", "application/json");
      }
      return send(method, controlUrl + "/control/v1" + path, headers, body == null ? null : utf8(Json.write(body)));
    }

    private Response send(String method, String url, Map<String, String> headers, byte[] body) {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).timeout(CALL_TIMEOUT)
          .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
      headers.forEach(request::header);
      try {
        HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
        String hint = response.headers().firstValue("X-Understudy-Hint").orElse("");
        return new Response(method + " " + URI.create(url).getPath(), response.statusCode(), hint, response.body());
      } catch (IOException e) {
        String output = server != null && server.exited() ? "; the server has exited:\n" + server.lastOutput() : "";
        throw new UncheckedIOException(method + " " + url + ": " + e + output, e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }

    /** Stops the server, if this object started it. */
    @Override
    public void close() {
      if (server != null) {
        server.stop();
      }
    }
  }

  private record Response(String call, int status, String hint, String body) {
    Response check() {
      if (status / 100 == 2) {
        return this;
      }
      String message = body;
      try {
        Map<String, Object> content = object(Json.parse(body));
        for (String key : List.of("error", "error_description", "message")) {
          message = content.get(key) instanceof String text ? text : message;
        }
      } catch (IllegalArgumentException | ClassCastException e) {
        // not an error in JSON
      }
      throw new APIException(call, status, message, hint);
    }
  }

  /**
   * A tenant, with the credentials that a client needs, and methods to control it. token, submit and status call the API,
   * as a client of the tenant does. Everything else calls the control API, which faults, permissions and rate limits do
   * not affect. Times are on the tenant's clock, except for timeouts.
   */
  public static final class Tenant implements ExtensionContext.Store.CloseableResource, AutoCloseable {
    private static final String SUBMIT = "/universal/v2/universal-submit";
    public final Sandbox sandbox;
    public final String apiUrl;
    public final String controlUrl;
    public final String name;
    public final String tenantUuid;
    public final String clientId;
    public final String clientSecret;
    public final String apiKey;
    public final String companyPackageId;
    public final String locationPackageId;
    public final String userId;
    private final List<Receiver> receivers = new ArrayList<>();
    private String reusedToken = "";

    private Tenant(Sandbox sandbox, Map<String, Object> created) {
      this.sandbox = sandbox;
      apiUrl = sandbox.apiUrl;
      controlUrl = sandbox.controlUrl;
      name = (String) created.get("name");
      tenantUuid = (String) created.get("tenant_uuid");
      clientId = (String) created.get("client_id");
      clientSecret = (String) created.get("client_secret");
      apiKey = (String) created.get("api_key");
      companyPackageId = (String) created.get("company_package_id");
      locationPackageId = (String) created.get("location_package_id");
      userId = (String) created.get("user_id");
    }

    /** Requests a new access token, which is valid for 12 hours. */
    public String token() {
      String credentials = Base64.getEncoder().encodeToString(utf8(encode(clientId) + ":" + encode(clientSecret)));
      Map<String, String> headers = Map.of("Authorization", "Basic " + credentials, "Content-Type", "application/x-www-form-urlencoded");
      Response response = sandbox.send("POST", apiUrl + "/auth/token", headers, utf8("grant_type=client_credentials")).check();
      return (String) object(Json.parse(response.body)).get("access_token");
    }

    /** Submits a text, as submit with bytes does. */
    public String submit(String filename, String content) {
      return submit(filename, utf8(content));
    }

    /** Submits a file and returns the tx_id, without waiting for the submission to be processed. */
    public String submit(String filename, byte[] content) {
      Map<String, Object> upload = call("POST", SUBMIT + "/file-upload-url", Map.of("filename", filename), null);
      String boundary = UUID.randomUUID().toString();
      String escaped = filename.replace("\"", "%22").replace("\r", "%0D").replace("\n", "%0A");
      byte[] head = utf8("--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + escaped
          + "\"\r\nContent-Type: application/octet-stream\r\n\r\n");
      byte[] tail = utf8("\r\n--" + boundary + "--\r\n");
      byte[] form = Arrays.copyOf(head, head.length + content.length + tail.length);
      System.arraycopy(content, 0, form, head.length, content.length);
      System.arraycopy(tail, 0, form, head.length + content.length, tail.length);
      String txId = (String) upload.get("tx_id");
      Map<String, String> headers = Map.of("Content-Type", "multipart/form-data; boundary=" + boundary);
      sandbox.send("PUT", (String) upload.get("upload_url"), headers, form).check();
      call("POST", SUBMIT + "/file/" + encode(txId), null, null);
      return txId;
    }

    /** Returns the status of a submission, such as "Completed", from the API's status call. */
    public String status(String txId) {
      return status(txId, null);
    }

    /** Returns the status of a submission, from a call with this access token. */
    public String status(String txId, String token) {
      return (String) call("GET", SUBMIT + "/status/" + encode(txId), null, token).get("status");
    }

    private Map<String, Object> call(String method, String path, Object body, String token) {
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put("Authorization", "Bearer " + (token == null ? reusedToken() : token));
      headers.put("x-api-key", apiKey);
      if (body != null) {
        headers.put("Content-Type", "application/json");
      }
      byte[] content = body == null ? null : utf8(Json.write(body));
      return object(Json.parse(sandbox.send(method, apiUrl + path, headers, content).check().body));
    }

    private synchronized String reusedToken() {
      if (reusedToken.isEmpty()) {
        reusedToken = token();
      }
      return reusedToken;
    }

    /** Calls the control API, for operations without a method here. The path is relative to the tenant's, such as "/coverage". */
    public Object control(String method, String path, Object body) {
      return sandbox.control(method, path(path), body);
    }

    private String path(String path) {
      return "/tenants/" + encode(name) + path;
    }

    /** Waits up to 30 s until a submission has ended, and returns its final status: "Completed" or "Failed". */
    public String wait(String txId) {
      return wait(txId, Duration.ofSeconds(30));
    }

    /** Waits until a submission has ended, and returns its final status. The timeout is in real time. */
    public String wait(String txId, Duration timeout) {
      long deadline = System.nanoTime() + timeout.toNanos();
      String after = null;
      while (true) {
        Map<String, Object> event;
        try {
          event = awaitEvent("universal_submit", txId, Duration.ofNanos(Math.max(0, deadline - System.nanoTime())), after);
        } catch (NoEventError e) {
          Object status = object(control("GET", "/transactions/" + encode(txId), null)).get("status");
          throw new NoEventError("submission " + txId + " has not ended within " + seconds(timeout) + " s; its status is " + status);
        }
        if (FINAL_EVENTS.contains(event.get("event"))) {
          return (String) object(event.get("data")).get("status");
        }
        after = (String) event.get("cursor");
      }
    }

    /** Waits up to 5 s for the first event that matches, and returns it at once if it has already happened. */
    public Map<String, Object> awaitEvent(String event) {
      return awaitEvent(event, null, Duration.ofSeconds(5), null);
    }

    /**
     * Waits for the first event that matches, and returns it at once if it has already happened. The event is
     * "subject:action", such as "universal_submit:completed", a subject, "call", "delivery", or "*". Unless txId is null,
     * it belongs to that submission. Unless after is null, it follows the event with that cursor. The timeout is in real time.
     */
    public Map<String, Object> awaitEvent(String event, String txId, Duration timeout, String after) {
      long deadline = System.nanoTime() + timeout.toNanos();
      while (true) {
        long millis = Math.min(MAX_AWAIT.toMillis(), Math.max(0, (deadline - System.nanoTime()) / 1_000_000));
        Map<String, Object> query = new LinkedHashMap<>();
        query.put("event", event);
        query.put("within", millis + "ms");
        query.put("tx_id", txId);
        query.put("after", after);
        Response response = sandbox.controlResponse("GET", path("/await" + query(query)), null);
        if (response.status != 408) {
          return object(Json.parse(response.check().body));
        }
        if (deadline - System.nanoTime() < 1_000_000) {
          List<Map<String, Object>> seen = objects(object(Json.parse(response.body)).get("seen"));
          throw new NoEventError("no event " + event + " within " + seconds(timeout) + " s; events seen instead:"
              + lines(seen.stream().map(e -> e.get("at") + " " + e.get("event") + " " + e.getOrDefault("tx_id", "")).toList()));
        }
      }
    }

    /** Returns the response of the company's data inquiry in version 2, for a completed submission. */
    public Map<String, Object> inquiry(String txId) {
      return inquiry(txId, companyPackageId, 2);
    }

    /** Returns the response of the data inquiry of a version, from 1 to 5, for a completed submission. */
    public Map<String, Object> inquiry(String txId, String packageId, int version) {
      String query = query(Map.of("version", version, "package", packageId));
      return object(control("GET", "/transactions/" + encode(txId) + "/inquiry" + query, null));
    }

    /** Returns the current time of the tenant's clock. */
    public Instant now() {
      return java.time.OffsetDateTime.parse((String) object(control("GET", "/clock", null)).get("now")).toInstant();
    }

    /** Moves the clock forward, waits until everything that becomes due is done, and returns what happened, in order. */
    public List<Map<String, Object>> advance(Duration by) {
      return moveClock(Map.of("advance", by));
    }

    /** Moves the clock forward to a time, and otherwise works like advance. */
    public List<Map<String, Object>> setClock(Instant at) {
      return moveClock(Map.of("set", at));
    }

    /** Stops the clock. advance and setClock still move it. */
    public void freeze() {
      moveClock(Map.of("frozen", true));
    }

    /** Lets the clock run on from the time that it shows. */
    public void unfreeze() {
      moveClock(Map.of("frozen", false));
    }

    private synchronized List<Map<String, Object>> moveClock(Map<String, ?> change) {
      reusedToken = "";
      return objects(object(control("POST", "/clock", change)).getOrDefault("effects", List.of()));
    }

    /** Changes settings, such as Map.of("rate_limit", 5), and returns all settings. */
    public Map<String, Object> settings(Map<String, ?> changes) {
      return object(control("PATCH", "/settings", changes));
    }

    /**
     * Sets how submissions with a matching filename end from now on. The outcome has status ("Completed", "Failed" or
     * "Review_required"), facts, options, locations, packages, raw and after, a Duration.
     */
    public void outcome(String filename, Map<String, ?> outcome) {
      outcome(Map.of("filename", filename), outcome);
    }

    /** Sets how matching submissions and companies end. The match has filename, sha256 and company_name. */
    public void outcome(Map<String, String> match, Map<String, ?> outcome) {
      Map<String, Object> body = new LinkedHashMap<>(outcome);
      body.put("match", match);
      control("PUT", "/outcomes", body);
    }

    /**
     * Makes matching calls fail from now on. The route is a path of the API, optionally with a method before it, or "*".
     * The fault has status, body, delay, drop, times, every, probability, seed and expires.
     */
    public Map<String, Object> fault(String route, Map<String, ?> fault) {
      Map<String, Object> body = new LinkedHashMap<>(fault);
      body.put("route", route);
      return fault(body);
    }

    /** Adds a fault with a delivery in place of a route, such as Map.of("delivery", "*", "duplicate", 1). */
    public Map<String, Object> fault(Map<String, ?> fault) {
      return object(control("POST", "/faults", fault));
    }

    /** Creates a webhook subscription, signed with the secret, and returns its id. The events are subjects, or "*". */
    public String subscribe(String url, String secret, String... events) {
      Map<String, Object> body = Map.of("url", url, "secret", secret, "events", List.of(events), "active", true);
      return (String) object(control("POST", "/hooks", body)).get("id");
    }

    /** Deletes a subscription that subscribe created, with its deliveries. */
    public void unsubscribe(String hookId) {
      control("DELETE", "/hooks/" + encode(hookId), null);
    }

    /** Starts a webhook receiver that is subscribed to these subjects, or to all events. It stops when the tenant is deleted. */
    public Receiver receiver(String... events) {
      return receiverAt("127.0.0.1", events);
    }

    /**
     * Starts a webhook receiver for a server that reaches this machine by the name host. Unless that is 127.0.0.1, the
     * receiver listens on all interfaces.
     */
    public Receiver receiverAt(String host, String... events) {
      Receiver receiver = new Receiver(this, host, events.length == 0 ? new String[] {"*"} : events);
      receivers.add(receiver);
      return receiver;
    }

    /** Publishes an event, named "subject:action", with data {} to the tenant's webhook subscriptions. */
    public Map<String, Object> event(String event) {
      return event(event, Map.of());
    }

    /** Publishes an event, named "subject:action", to the tenant's webhook subscriptions. */
    public Map<String, Object> event(String event, Object data) {
      return object(control("POST", "/events", Map.of("event", event, "data", data)));
    }

    /** Returns the webhook deliveries with their attempts, newest first. */
    public List<Map<String, Object>> deliveries() {
      return list("deliveries", Map.of());
    }

    /** Returns the calls of the API that match, newest first. The filter has route, method, status, tx_id and others. */
    public List<Map<String, Object>> requests(Map<String, ?> filter) {
      return list("requests", filter);
    }

    private List<Map<String, Object>> list(String name, Map<String, ?> filter) {
      Map<String, Object> query = new LinkedHashMap<>(filter);
      List<Map<String, Object>> entries = new ArrayList<>();
      do {
        Map<String, Object> page = object(control("GET", "/" + name + query(query), null));
        entries.addAll(objects(page.get(name)));
        query.put("before", page.get("before"));
      } while (query.get("before") instanceof String before && !before.isEmpty());
      return entries;
    }

    /** Returns the mistakes that the tenant's clients and webhook receivers have made. */
    public List<Map<String, Object>> findings() {
      return objects(object(control("GET", "/findings", null)).get("findings"));
    }

    /** Throws an AssertionError with the findings, if there are any. */
    public void assertNoFindings() {
      List<Map<String, Object>> findings = findings();
      if (!findings.isEmpty()) {
        throw new AssertionError("findings about the clients of tenant " + name + ":" + lines(findings.stream()
            .map(f -> f.get("rule") + " (" + f.get("count") + "): " + f.get("message") + "\n    " + f.get("advice")).toList()));
      }
    }

    /** Deletes everything that belongs to the tenant, and resets its clock and settings. Its credentials stay. */
    public synchronized void reset() {
      control("POST", "/reset", null);
      reusedToken = "";
    }

    /** Deletes the tenant, unless UNDERSTUDY_KEEP_TENANTS is 1, and stops its receivers. */
    public void delete() {
      try {
        if (!environment("UNDERSTUDY_KEEP_TENANTS").equals("1")) {
          control("DELETE", "", null);
        }
      } catch (APIException e) {
        if (e.status != 404) { // 404: the test has deleted it
          throw e;
        }
      } finally {
        receivers.forEach(Receiver::close);
      }
    }

    /** Calls delete. */
    @Override
    public void close() {
      delete();
    }
  }

  /** A delivery that a receiver got. The names of headers are in lower case; status is that of the response. */
  public record ReceivedEvent(String id, String event, Object data, byte[] body, Map<String, String> headers, int status) {}

  /**
   * A webhook receiver. It verifies the signature of each delivery. A delivery with a wrong signature gets the
   * response 401 and is added to rejected. Every other delivery gets the status set by respond and is added to
   * events.
   */
  public static final class Receiver implements AutoCloseable {
    private static final int MAX_DELIVERY = 64 << 20; // bytes; deliveries of the server are smaller
    public final String url;
    public final String secret = UUID.randomUUID().toString();
    public final String hookId;
    private final Tenant tenant;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(Understudy::daemon);
    private final List<ReceivedEvent> events = new ArrayList<>();
    private final List<ReceivedEvent> rejected = new ArrayList<>();
    private final List<ReceivedEvent> unread = new ArrayList<>(); // the events that wait has not returned yet
    private int status = 200;

    private Receiver(Tenant tenant, String host, String... events) {
      this.tenant = tenant;
      try {
        server = HttpServer.create(new InetSocketAddress(host.equals("127.0.0.1") ? host : "0.0.0.0", 0), 0);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      server.setExecutor(threads);
      server.createContext("/", this::receive);
      server.start();
      url = "http://" + host + ":" + server.getAddress().getPort() + "/";
      hookId = tenant.subscribe(url, secret, events);
    }

    private void receive(HttpExchange exchange) throws IOException {
      byte[] body = exchange.getRequestBody().readNBytes(MAX_DELIVERY + 1);
      if (body.length > MAX_DELIVERY) {
        exchange.sendResponseHeaders(413, -1);
        exchange.close();
        return;
      }
      Map<String, String> headers = exchange.getRequestHeaders().entrySet().stream()
          .collect(Collectors.toMap(h -> h.getKey().toLowerCase(java.util.Locale.ROOT), h -> String.join(", ", h.getValue())));
      byte[] given = utf8(headers.getOrDefault("x-signature", ""));
      boolean valid = MessageDigest.isEqual(utf8("sha256=" + HexFormat.of().formatHex(hmac(body))), given);
      Object data = valid ? object(Json.parse(new String(body, StandardCharsets.UTF_8))).get("data") : null;
      int response;
      synchronized (this) {
        response = valid ? status : 401;
        ReceivedEvent received = new ReceivedEvent(headers.getOrDefault("x-request-id", ""),
            headers.getOrDefault("x-emperor-event", ""), data, body, headers, response);
        (valid ? events : rejected).add(received);
        if (valid) {
          unread.add(received);
        }
        notifyAll();
      }
      exchange.sendResponseHeaders(response, -1);
      exchange.close();
    }

    private byte[] hmac(byte[] body) {
      try {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(utf8(secret), "HmacSHA256"));
        return mac.doFinal(body);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e); // every JVM has HmacSHA256
      }
    }

    /** Returns the deliveries with a correct signature. */
    public synchronized List<ReceivedEvent> events() {
      return List.copyOf(events);
    }

    /** Returns the deliveries with a wrong signature. */
    public synchronized List<ReceivedEvent> rejected() {
      return List.copyOf(rejected);
    }

    /** Sets the status of responses from now on; it is 200 at first. */
    public synchronized void respond(int status) {
      this.status = status;
    }

    /** Waits up to 10 s for the next delivery of an event. */
    public ReceivedEvent wait(String event) {
      return wait(event, Duration.ofSeconds(10));
    }

    /**
     * Waits for the next delivery of an event: the first that wait has not returned yet. The event is "subject:action", a
     * subject, or "*".
     */
    public synchronized ReceivedEvent wait(String event, Duration timeout) {
      long deadline = System.nanoTime() + timeout.toNanos();
      while (true) {
        for (Iterator<ReceivedEvent> i = unread.iterator(); i.hasNext();) {
          ReceivedEvent received = i.next();
          if (event.equals("*") || event.equals(received.event) || event.equals(received.event.split(":")[0])) {
            i.remove();
            return received;
          }
        }
        long remaining = deadline - System.nanoTime();
        if (remaining <= 0) {
          List<String> seen = new ArrayList<>();
          for (List<ReceivedEvent> list : List.of(events, rejected)) {
            list.forEach(e -> seen.add(e.event + " " + e.id + ", responded " + e.status));
          }
          throw new NoEventError("no delivery of " + event + " within " + seconds(timeout) + " s; deliveries received:" + lines(seen));
        }
        try {
          TimeUnit.NANOSECONDS.timedWait(this, remaining);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("interrupted", e);
        }
      }
    }

    /** Deactivates the subscription, and stops the receiver. */
    @Override
    public void close() {
      try {
        tenant.control("PUT", "/hooks/" + hookId, Map.of("active", false));
      } catch (APIException e) {
        if (e.status != 404) { // 404: deleted, perhaps with its tenant
          throw e;
        }
      } finally {
        server.stop(0);
        threads.shutdown();
      }
    }
  }

  /** A server that this process started. It stops when its standard input is closed or this process ends. */
  private static final class Server {
    private static final Pattern READY_LINE =
        Pattern.compile("\\bmsg\"?[=:]\"?ready\"?[ ,]\"?api\"?[=:]\"?([^\\s\"]+)\"?[ ,]\"?control\"?[=:]\"?([^\\s\"]+)\"?}?\\s*$");
    // They configure the server. In a test's environment they are meant for the tested program.
    private static final Set<String> SERVER_VARIABLES = Set.of("""
        LISTEN_ADDR CONTROL_ADDR DATABASE_URL DATABASE_URL_FILE DATA_DIR EPHEMERAL EXIT_WITH_PARENT OBJECTS_URL
        ENVIRONMENT PROFILE PUBLIC_URL TRUSTED_PROXIES CORS_ORIGINS CONTROL_HOSTS CONTROL_TOKEN CONTROL_TOKEN_FILE
        CONTROL_TOKENS CONTROL_TOKENS_FILE MASTER_KEY MASTER_KEY_FILE DATABASE_CONNECTIONS LOCK_TIMEOUT STATEMENT_TIMEOUT
        BACKGROUND_LOCK_TIMEOUT BACKGROUND_STATEMENT_TIMEOUT HINTS MAX_UPLOAD_BYTES MIN_FREE_BYTES MIN_TRANSFER_RATE
        MAX_CONNECTIONS_PER_ADDRESS KEEP_SUBMISSIONS KEEP_UPLOADS LOG_FORMAT LOG_LEVEL READ_TIME READ_MEMORY_BYTES
        READ_MEMORY_TOTAL_BYTES SEED STOP_DELAY TLS_CERT TLS_KEY WEBHOOK_ALLOW WEBHOOK_PROXY WEBHOOK_PROXY_FILE WEBHOOK_CA
        WEBHOOK_CLIENT_CERT WEBHOOK_CLIENT_KEY SIGNATURE_DIGEST SIGNATURE_PREFIX""".split("\\s+"));

    final String apiUrl;
    final String controlUrl;
    private final Process process;
    private final Deque<String> lastLines = new ArrayDeque<>();
    private final CompletableFuture<Matcher> ready = new CompletableFuture<>();

    Server(String binary) {
      ProcessBuilder builder =
          new ProcessBuilder(binary, "--ephemeral", "--exit-with-parent", "--listen=127.0.0.1:0", "--control=127.0.0.1:0")
              .redirectOutput(ProcessBuilder.Redirect.DISCARD);
      builder.environment().keySet().removeIf(name -> SERVER_VARIABLES.contains(name) || name.startsWith("OTEL_"));
      try {
        process = builder.start();
      } catch (IOException e) {
        throw new IllegalStateException("start the server: " + e.getMessage(), e);
      }
      Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
      daemon(this::readOutput).start();
      Matcher urls = ready.completeOnTimeout(null, 2, TimeUnit.MINUTES).join();
      if (urls == null) {
        stop();
        throw new IllegalStateException("the server did not start:\n" + lastOutput());
      }
      apiUrl = urls.group(1);
      controlUrl = urls.group(2);
    }

    static String find() {
      String given = environment("UNDERSTUDY_BIN");
      if (!given.isEmpty()) {
        return given;
      }
      for (String directory : environment("PATH").split(File.pathSeparator)) {
        for (String file : List.of("understudy", "understudy.exe")) {
          File candidate = new File(directory, file);
          if (candidate.isFile() && candidate.canExecute()) {
            return candidate.getPath();
          }
        }
      }
      throw new IllegalStateException("the server was not found: set UNDERSTUDY_BIN to the path of its binary, or install "
          + "understudy in a directory of PATH; or start a server and set UNDERSTUDY_CONTROL_URL to the URL of its control listener");
    }

    private void readOutput() {
      try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          synchronized (lastLines) {
            lastLines.add(line);
            if (lastLines.size() > 50) {
              lastLines.remove();
            }
          }
          Matcher found = READY_LINE.matcher(line);
          if (found.find()) {
            ready.complete(found);
          }
        }
      } catch (IOException e) {
        // the server has been stopped
      }
      ready.complete(null);
    }

    boolean exited() {
      return !process.isAlive();
    }

    String lastOutput() {
      synchronized (lastLines) {
        return String.join("\n", lastLines);
      }
    }

    void stop() {
      try {
        process.getOutputStream().close();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (IOException | InterruptedException e) {
        process.destroyForcibly();
      }
    }
  }

  /** Reads and writes JSON: maps, lists, strings, numbers (Long, Double), booleans and null. */
  private static final class Json {
    private final String text;
    private int at;

    private Json(String text) {
      this.text = text;
    }

    static Object parse(String text) {
      if (text.isBlank()) {
        return null;
      }
      Json json = new Json(text);
      Object value = json.value();
      json.space();
      if (json.at < text.length()) {
        throw json.error();
      }
      return value;
    }

    private IllegalArgumentException error() {
      return new IllegalArgumentException("invalid JSON at character " + at + ": " + text);
    }

    private void space() {
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
    }

    private boolean skip(String token) {
      space();
      if (!text.startsWith(token, at)) {
        return false;
      }
      at += token.length();
      return true;
    }

    private void expect(String token) {
      if (!skip(token)) {
        throw error();
      }
    }

    private Object value() {
      if (skip("{")) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (boolean first = true; !skip("}"); first = false) {
          if (!first) {
            expect(",");
          }
          expect("\"");
          String key = string();
          expect(":");
          object.put(key, value());
        }
        return object;
      }
      if (skip("[")) {
        List<Object> array = new ArrayList<>();
        for (boolean first = true; !skip("]"); first = false) {
          if (!first) {
            expect(",");
          }
          array.add(value());
        }
        return array;
      }
      if (skip("\"")) {
        return string();
      }
      if (skip("true")) {
        return true;
      }
      if (skip("false")) {
        return false;
      }
      return skip("null") ? null : number();
    }

    private Object number() {
      int start = at;
      while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      String number = text.substring(start, at);
      try {
        return number.matches("-?\\d{1,18}") ? (Object) Long.valueOf(number) : Double.valueOf(number);
      } catch (NumberFormatException e) {
        throw error();
      }
    }

    /** Reads the rest of a string, after its first quotation mark. */
    private String string() {
      StringBuilder read = new StringBuilder();
      while (at < text.length()) {
        char c = text.charAt(at++);
        if (c == '"') {
          return read.toString();
        }
        if (c != '\\') {
          read.append(c);
          continue;
        }
        char escaped = at < text.length() ? text.charAt(at++) : '?';
        if (escaped == 'u' && at + 4 <= text.length()) {
          read.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        } else if ("\"\\/bfnrt".indexOf(escaped) >= 0) {
          read.append("\"\\/\b\f\n\r\t".charAt("\"\\/bfnrt".indexOf(escaped)));
        } else {
          throw error();
        }
      }
      throw error();
    }

    /** Writes a value. A Duration becomes text such as "1500ms", and an Instant a time. */
    static String write(Object value) {
      if (value instanceof Map<?, ?> map) {
        return map.entrySet().stream().map(e -> quote((String) e.getKey()) + ":" + write(e.getValue()))
            .collect(Collectors.joining(",", "{", "}"));
      }
      if (value instanceof Iterable<?> values) {
        List<String> written = new ArrayList<>();
        values.forEach(v -> written.add(write(v)));
        return "[" + String.join(",", written) + "]";
      }
      if (value instanceof Duration duration) {
        return quote(duration.toMillis() + "ms");
      }
      return value == null || value instanceof Number || value instanceof Boolean ? String.valueOf(value) : quote(value.toString());
    }

    private static String quote(String text) {
      StringBuilder quoted = new StringBuilder("\"");
      for (char c : text.toCharArray()) {
        if (c < ' ' || c == '"' || c == '\\') {
          quoted.append(String.format("\\u%04x", (int) c));
        } else {
          quoted.append(c);
        }
      }
      return quoted.append('"').toString();
    }
  }

  private static Thread daemon(Runnable run) {
    Thread thread = new Thread(run);
    thread.setDaemon(true);
    return thread;
  }

  private static String environment(String name) {
    return System.getenv().getOrDefault(name, "");
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Returns the query of a URL, with its question mark, or "" if all values are null. */
  private static String query(Map<String, ?> values) {
    String query = values.entrySet().stream().filter(e -> e.getValue() != null)
        .map(e -> encode(e.getKey()) + "=" + encode(e.getValue().toString())).collect(Collectors.joining("&"));
    return query.isEmpty() ? "" : "?" + query;
  }

  private static String seconds(Duration duration) {
    return String.valueOf(duration.toMillis() / 1000.0);
  }

  private static String lines(List<String> lines) {
    return lines.isEmpty() ? "\n  none" : lines.stream().map(line -> "\n  " + line).collect(Collectors.joining());
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> objects(Object value) {
    return (List<Map<String, Object>>) value;
  }
}
