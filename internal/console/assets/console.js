// This script does what the pages cannot do without one: it copies texts, shows the
// progress of uploads, accepts dropped files, and reconnects to the live events. All
// else works without it.
(function () {
	'use strict';

	document.documentElement.classList.add('js');

	// after the page or a part of it has been loaded
	function prepare() {
		document.querySelectorAll('button.copy[hidden]').forEach(function (button) { button.hidden = false; });
	}
	document.addEventListener('DOMContentLoaded', prepare);
	document.addEventListener('htmx:after:swap', prepare);
	prepare();

	// tell shows a message to the visitor, also to one who listens.
	function tell(message, failed) {
		var notice = document.getElementById('notice');
		if (!notice) return;
		notice.textContent = message;
		notice.className = failed ? 'refused' : 'told';
		window.clearTimeout(tell.timer);
		if (!failed) tell.timer = window.setTimeout(function () { notice.textContent = ''; notice.className = ''; }, 4000);
	}

	document.addEventListener('click', function (event) {
		var button = event.target.closest('button.copy');
		if (!button) return;
		copy(button.dataset.copy).then(function () {
			button.classList.add('copied');
			window.setTimeout(function () { button.classList.remove('copied'); }, 1500);
			tell('Copied');
		}, function () { tell('The browser does not allow copying. Select the text instead.', true); });
	});

	// copy copies a text. Pages without TLS on another host than this one have no clipboard.
	function copy(text) {
		if (navigator.clipboard) return navigator.clipboard.writeText(text);
		var area = document.createElement('textarea');
		area.value = text;
		area.className = 'offscreen';
		document.body.appendChild(area);
		area.select();
		var done = document.execCommand('copy');
		area.remove();
		return done ? Promise.resolve() : Promise.reject(new Error('not allowed'));
	}

	// htmx reconnects to the live events if a connection ends, but not if the first one
	// fails because the server is busy or restarting. In that case, connectLater
	// retries after increasing waits, and in a hidden tab only once it is visible.
	var failures = 0;
	function isLive(event) { return event.target.hasAttribute && event.target.hasAttribute('hx-sse:connect'); }
	document.addEventListener('htmx:before:response', function (event) {
		// The body of an error response is not shown on the page. After a 401, htmx
		// goes to the page for signing in.
		var status = event.detail.ctx.response.status;
		if (isLive(event) && status >= 400 && status !== 401) event.preventDefault();
	});
	document.addEventListener('htmx:finally:request', function (event) {
		if (!isLive(event)) return;
		var response = event.detail.ctx.response;
		if (response && response.status < 500 && response.status !== 429) failures = 0;
		else connectLater(event.target);
	});
	function connectLater(element) {
		var wait = Math.min(1000 * Math.pow(2, failures++), 60000);
		window.setTimeout(function connect() {
			if (!element.isConnected) return;
			if (document.hidden) document.addEventListener('visibilitychange', connect, { once: true });
			else window.htmx.ajax('GET', element.getAttribute('hx-sse:connect'), { source: element });
		}, wait * (0.7 + 0.6 * Math.random()));
	}

	// A form with data-upload shows the progress of its upload, and then the page that
	// data-upload names.
	document.addEventListener('submit', function (event) {
		var form = event.target.closest('form[data-upload]');
		if (!form || !form.elements.file.files.length) return;
		event.preventDefault();
		upload(form, Array.from(form.elements.file.files));
	});

	function upload(form, files) {
		var progress = form.querySelector('progress');
		var status = form.querySelector('[role=status]');
		var last = null;
		progress.hidden = false;
		form.setAttribute('aria-busy', 'true');
		files.reduce(function (before, file, i) {
			return before.then(function () {
				return send(form.action, file, function (share) {
					progress.value = (i + share) / files.length * 100;
					status.textContent = 'Uploading ' + file.name + ', ' + Math.round(share * 100) + ' %';
				});
			}).then(function (submission) { last = submission; });
		}, Promise.resolve()).then(function () {
			status.textContent = files.length > 1 ? files.length + ' documents submitted' : files[0].name + ' submitted';
			window.location.assign(files.length > 1 || !last.tx_id ? form.dataset.upload : form.dataset.upload + '/' + last.tx_id);
		}, function (error) {
			status.textContent = '';
			progress.hidden = true;
			tell(error.message, true);
		}).then(function () { form.removeAttribute('aria-busy'); });
	}

	// send uploads a file and resolves to the submission.
	function send(url, file, report) {
		return new Promise(function (resolve, reject) {
			var request = new XMLHttpRequest();
			var body = new FormData();
			body.append('file', file, file.name);
			request.open('POST', url);
			request.setRequestHeader('Accept', 'application/json');
			request.upload.onprogress = function (event) { if (event.lengthComputable) report(event.loaded / event.total); };
			request.onerror = function () { reject(new Error('The upload of ' + file.name + ' was cut off. Is the server running?')); };
			request.onload = function () {
				var response = {};
				try { response = JSON.parse(request.responseText); } catch (error) { /* no JSON: the status says enough */ }
				if (request.status < 300) resolve(response);
				else reject(new Error(file.name + ': ' + (response.message || 'status ' + request.status)));
			};
			request.send(body);
		});
	}

	// Files can be dropped anywhere on a page that has such a form.
	var depth = 0;
	function form(event) {
		var carriesFiles = event.dataTransfer && Array.from(event.dataTransfer.types).includes('Files');
		return carriesFiles ? document.querySelector('form[data-upload]') : null;
	}
	document.addEventListener('dragenter', function (event) {
		if (form(event)) { depth++; document.body.classList.add('dropping'); }
	});
	document.addEventListener('dragleave', function (event) {
		if (form(event) && --depth <= 0) { depth = 0; document.body.classList.remove('dropping'); }
	});
	document.addEventListener('dragover', function (event) { if (form(event)) event.preventDefault(); });
	document.addEventListener('drop', function (event) {
		var target = form(event);
		depth = 0;
		document.body.classList.remove('dropping');
		if (!target) return;
		event.preventDefault();
		upload(target, Array.from(event.dataTransfer.files));
	});
})();
